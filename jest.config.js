const shared = {
  // Files run one after the other in the same processes, as plain Node.js runs them, so that each module loads once.
  runner: ['jest-light-runner', { runtime: 'child_process' }],
  transform: {},
};

/** Rules are pure functions, so their tests need no setup. */
export const domain = { ...shared, displayName: 'domain', testMatch: ['<rootDir>/test/domain/**/*.test.ts'] };

/** One PostgreSQL for all files, in which each file has a database of its own. */
const service = {
  ...shared,
  displayName: 'service',
  testMatch: ['<rootDir>/test/**/*.test.ts', '!**/test/domain/**', '!**/*.slow.test.ts'],
  globalSetup: '<rootDir>/test/helpers/global-setup.ts',
  globalTeardown: '<rootDir>/test/helpers/global-teardown.ts',
};

/** The tests that kill processes, need programs that `npm start` does not need, or need most of the machine. */
const slow = {
  ...service,
  displayName: 'slow',
  testMatch: ['<rootDir>/test/**/*.slow.test.ts'],
  globalSetup: '<rootDir>/test/helpers/slow-setup.ts',
};

export default {
  projects: [domain, service, slow],
};
