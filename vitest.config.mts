import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/e2e/**', 'test/conformance/**', 'test/otel-lines/**', 'test/soak/**'],
    // The instrumentation patches process-wide state (globalThis.fetch, the OpenTelemetry globals):
    // one process per test file keeps files from seeing each other.
    pool: 'forks',
    isolate: true,
    testTimeout: 20_000,
    hookTimeout: 30_000,
  },
});
