import { domain } from '../../jest.config.js';

/** Stryker's: the tests of the money rules, by the runner that Stryker can follow. A property that fails need not be shrunk. */
export default {
  ...domain,
  rootDir: '../..',
  runner: 'jest-runner',
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '\\.ts$': '<rootDir>/tools/mutants/strip-types.js' },
  testPathIgnorePatterns: ['/(?:auth|clock|credential-score|legacy|oauth|tax-history|vault)[^/]*$'],
  setupFiles: ['<rootDir>/tools/mutants/end-on-failure.ts'],
};
