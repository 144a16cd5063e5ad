/** The tests that need nothing that `npm start` does not need. `jest.slow.config.js` has the slow ones. */
export default {
  testEnvironment: '<rootDir>/test/helpers/jest-environment.ts',
  moduleNameMapper: { '^express-openapi-validator$': '<rootDir>/test/helpers/validator.ts' },
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '\\.ts$': [
      '@swc/jest',
      { jsc: { target: 'es2023', parser: { syntax: 'typescript' } }, module: { type: 'es6' }, sourceMaps: 'inline' },
    ],
  },
  testMatch: ['<rootDir>/test/**/*.test.ts', '!**/*.slow.test.ts'],
  // Ends only a test that hangs: on a busy machine, a test can take twenty times as long as usual.
  testTimeout: 600_000,
  maxWorkers: 2,
  // Tests leave nothing open, but a busy machine needs more than the default 500 ms to end a process.
  workerGracefulExitTimeout: 10_000,
  globalSetup: '<rootDir>/test/helpers/global-setup.ts',
  globalTeardown: '<rootDir>/test/helpers/global-teardown.ts',
};
