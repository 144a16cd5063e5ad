import config from './jest.config.js';

/** Some of these tests kill processes or need most of the machine, so one file runs at a time. */
export default {
  ...config,
  testMatch: ['<rootDir>/test/**/*.slow.test.ts'],
  maxWorkers: 1,
  globalSetup: '<rootDir>/test/helpers/slow-setup.ts',
};
