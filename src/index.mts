// A thin door to the CommonJS build, so that a process has one copy of the package whichever way it is loaded: two
// would both wrap `fetch`, and tell every call twice.
export * from './index.js';
