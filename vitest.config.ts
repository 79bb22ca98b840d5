import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 60_000,
    pool: 'forks',
    // Two cores: one file each, so that exhaustive searches do not fight for memory.
    maxWorkers: 2,
  },
});
