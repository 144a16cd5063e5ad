import config from './jest.config.js';

/** Slow tests that kill processes or need most of the machine, run one at a time. */
export default { ...config, testMatch: ['<rootDir>/test/faults/**/*.test.ts'], testTimeout: 300_000, maxWorkers: 1 };
