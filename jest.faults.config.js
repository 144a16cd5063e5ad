import config from './jest.config.js';

/** Tests that kill processes: slow, and one at a time. */
export default { ...config, testMatch: ['<rootDir>/test/faults/**/*.test.ts'], testTimeout: 300_000, maxWorkers: 1 };
