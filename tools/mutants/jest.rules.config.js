import { domain } from '../../jest.config.js';

/** Stryker's: the tests of the money rules. A property that fails need not be shrunk. */
export default {
  ...domain,
  rootDir: '../..',
  testPathIgnorePatterns: ['/(?:auth|clock|credential-score|legacy|oauth|tax-history|vault)[^/]*$'],
  setupFiles: ['<rootDir>/tools/mutants/end-on-failure.ts'],
};
