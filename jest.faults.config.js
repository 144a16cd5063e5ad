import config from './jest.config.js';

const { globalSetup: _setup, globalTeardown: _teardown, ...rest } = config;

/** Tests that kill processes: slow, one at a time, and each with a whole service of its own. */
export default { ...rest, testMatch: ['<rootDir>/test/faults/**/*.test.ts'], testTimeout: 300_000, maxWorkers: 1 };
