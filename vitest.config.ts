import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Generous: a loaded machine must not fail a test that is right.
    testTimeout: 180_000,
    hookTimeout: 120_000,
    pool: 'forks',
    // Two cores: one file each, so that exhaustive searches do not fight for memory.
    maxWorkers: 2,
  },
});
