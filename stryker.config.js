/** Mutates the money rules. Their tests need no setup, so a run takes less than an hour. */
export default {
  testRunner: 'jest',
  testRunnerNodeArgs: ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'],
  jest: { configFile: 'tools/mutants/jest.rules.config.js' },
  coverageAnalysis: 'perTest',
  mutate: [
    'domain/{bills,ledger,money,paycheck,payments,reliability,yield,yield-forecast}.ts',
    'domain/{debt,paycheck}/*.ts',
  ],
  ignoreStatic: true,
  concurrency: 2,
  reporters: ['clear-text', 'progress-append-only', 'json'],
  clearTextReporter: { allowColor: false, logTests: false },
  jsonReporter: { fileName: '.cache/mutants/rules.json' },
  tempDirName: '.cache/mutants/sandbox',
};
