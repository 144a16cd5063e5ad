const shared = {
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '\\.ts$': [
      '@swc/jest',
      { jsc: { target: 'es2023', parser: { syntax: 'typescript' } }, module: { type: 'es6' }, sourceMaps: 'inline' },
    ],
  },
};

/** Rules are pure functions, so their tests need no setup. */
export const domain = { ...shared, displayName: 'domain', testMatch: ['<rootDir>/test/domain/**/*.test.ts'] };

/** One PostgreSQL for all files, in which each file has a database of its own. */
const service = {
  ...shared,
  displayName: 'service',
  testMatch: ['<rootDir>/test/**/*.test.ts', '!**/test/domain/**', '!**/*.slow.test.ts'],
  testEnvironment: '<rootDir>/test/helpers/jest-environment.ts',
  moduleNameMapper: { '^express-openapi-validator$': '<rootDir>/test/helpers/validator.ts' },
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
  // Ends only a test that hangs: on a busy machine, a test can take twenty times as long as usual.
  testTimeout: 600_000,
  // Tests leave nothing open, but a busy machine needs more than the default 500 ms to end a process.
  workerGracefulExitTimeout: 10_000,
};
