import { stripTypeScriptTypes } from 'node:module';

/** Stryker loads the tests through Jest's own module loader, which does not read TypeScript. */
export default { process: (source) => ({ code: stripTypeScriptTypes(source) }) };
