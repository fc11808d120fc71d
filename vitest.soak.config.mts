import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/soak/*.test.ts'],
    pool: 'forks',
    testTimeout: 600_000,
  },
});
