import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/otel-lines/*.test.ts'],
    pool: 'forks',
    testTimeout: 60_000,
    // Packs the package, and installs it from the registry beside a whole SDK.
    hookTimeout: 300_000,
  },
});
