import { createRequire } from 'node:module';
import { sep } from 'node:path';
import { SyntheticModule, type Context } from 'node:vm';

/*
 * Jest reads every module anew for each test file, in a realm of its own. What compiles the contract is loaded by Node instead,
 * once for each process that runs tests: cold, it was half of what a test file of the API took. It is the one package for which
 * that is safe: it knows no class of ours and gives no error of its own to code that asks for one by `instanceof`.
 */
const BY_NODE = `${sep}node_modules${sep}express-openapi-validator${sep}`;
const isByNode = (path: string) => path.includes(BY_NODE) && path.endsWith('.js');

/** What the runtime of jest has for this, which its types keep to itself. */
interface Inner {
  esmLoader: { buildCjsAsEsmSyntheticModule: (from: string, path: string, context: Context) => SyntheticModule };
}

const load = createRequire(import.meta.url);
// Its types are those of its CommonJS form.
const { default: Runtime } = load('jest-runtime') as typeof import('jest-runtime');

/** Jest's runtime, but for the package above. */
export default class ContractRuntime extends Runtime {
  constructor(...parts: ConstructorParameters<typeof Runtime>) {
    super(...parts);
    const { esmLoader } = this as unknown as Inner;
    const build = esmLoader.buildCjsAsEsmSyntheticModule.bind(esmLoader);
    esmLoader.buildCjsAsEsmSyntheticModule = (from, path, context) =>
      isByNode(path) ? loadedByNode(path, context) : build(from, path, context);
  }
}

/** A CommonJS module as `import` gives it. */
function loadedByNode(path: string, context: Context): SyntheticModule {
  const loaded = load(path) as Record<string, unknown>;
  const exported = { ...loaded, default: loaded, 'module.exports': loaded };
  const fill = function (this: SyntheticModule) {
    for (const [name, value] of Object.entries(exported)) this.setExport(name, value);
  };
  return new SyntheticModule(Object.keys(exported), fill, { context, identifier: path });
}
