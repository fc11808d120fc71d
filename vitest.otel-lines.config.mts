import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/otel-lines/*.test.ts'],
    pool: 'forks',
    // Checking the declarations of a whole SDK takes tens of seconds on a machine that is busy.
    testTimeout: 180_000,
    // Packs the package, and installs it from the registry beside a whole SDK.
    hookTimeout: 300_000,
  },
});
