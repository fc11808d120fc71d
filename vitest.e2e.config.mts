import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/e2e/**/*.test.ts'],
    pool: 'forks',
    testTimeout: 60_000,
    // The first run compiles Jaeger from source, which takes minutes.
    hookTimeout: 1_200_000,
  },
});
