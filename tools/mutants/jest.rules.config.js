import config from '../../jest.config.js';

const { globalSetup: _setup, globalTeardown: _teardown, ...rules } = config;

/** For tests of rules, which need no database, so they run without the setup that starts one. */
export default { ...rules, rootDir: '../..' };
