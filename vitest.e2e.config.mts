import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/e2e/**/*.test.ts'],
    pool: 'forks',
    // Each file starts programs of its own, and some of them measure under load.
    fileParallelism: false,
    testTimeout: 60_000,
    // The first run compiles Jaeger from source, which takes minutes.
    hookTimeout: 1_200_000,
  },
});
