import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/e2e/**/*.test.ts'],
    pool: 'forks',
    // The files share the backend's ports.
    fileParallelism: false,
    testTimeout: 60_000,
    // The first run compiles Jaeger from source.
    hookTimeout: 1_200_000,
  },
});
