import config from './jest.config.js';

/** Tests that kill processes or ask most of the machine: slow, one at a time, most with a whole service of their own. */
export default { ...config, testMatch: ['<rootDir>/test/faults/**/*.test.ts'], testTimeout: 300_000, maxWorkers: 1 };
