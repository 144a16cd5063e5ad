/** The everyday tests. `jest.faults.config.js` has the tests that kill processes or need most of the machine. */
export default {
  testEnvironment: 'node',
  runtime: '<rootDir>/test/helpers/runtime.ts',
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '\\.ts$': [
      '@swc/jest',
      { jsc: { target: 'es2023', parser: { syntax: 'typescript' } }, module: { type: 'es6' }, sourceMaps: 'inline' },
    ],
  },
  testMatch: ['<rootDir>/test/**/*.test.ts', '!**/test/faults/**'],
  testTimeout: 120_000,
  maxWorkers: 2,
  // Tests leave nothing open, but a busy machine needs more than the default 500 ms to end a process.
  workerGracefulExitTimeout: 10_000,
  globalSetup: '<rootDir>/test/helpers/global-setup.ts',
  globalTeardown: '<rootDir>/test/helpers/global-teardown.ts',
};
