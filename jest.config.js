/** The tests of every day; `jest.faults.config.js` has those that kill processes or ask most of the machine. */
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
  // Nothing is left open (the event loop is empty within 20 ms), but a busy machine takes longer than half a second to end a process.
  workerGracefulExitTimeout: 10_000,
  globalSetup: '<rootDir>/test/helpers/global-setup.ts',
  globalTeardown: '<rootDir>/test/helpers/global-teardown.ts',
};
