import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/conformance/*.test.ts'],
    pool: 'forks',
    // Each test runs two processes, one after the other, which use a core between them.
    maxConcurrency: 2,
    testTimeout: 120_000,
    // Every run of the suite and of a client compiles the same files.
    env: { NODE_COMPILE_CACHE: 'node_modules/.cache/conformance' },
  },
});
