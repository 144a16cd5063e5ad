import { createRequire } from 'node:module';
import { dirname, join, sep } from 'node:path';
import { Script, SyntheticModule, type Context } from 'node:vm';

/*
 * Jest loads modules again for each test file, in a new realm, which is slow. This runtime acts once per process:
 * - It compiles CommonJS packages. Realms share the code, but no state.
 * - Node itself loads express-openapi-validator, which uses none of our classes. No code tests its errors by
 * `instanceof`.
 * - It compiles the schema of OpenAPI, which express-openapi-validator would compile for each validator.
 */
const PACKAGES = `${sep}node_modules${sep}`;
const VALIDATOR = `${PACKAGES}express-openapi-validator${sep}`;
const isByNode = (path: string) => path.includes(VALIDATOR) && path.endsWith('.js');

// Jest does not export these types.
interface Inner {
  esmLoader: { buildCjsAsEsmSyntheticModule: (from: string, path: string, context: Context) => SyntheticModule };
  executor: {
    injectedModuleParameters: readonly string[];
    environment: { getVmContext(): Context | null };
    compile(source: string, path: string): unknown;
  };
}

const load = createRequire(import.meta.url);
compileOwnSchemaOnce();
// `load` is `require`, which returns the CommonJS form of the package.
const { default: Runtime } = load('jest-runtime') as typeof import('jest-runtime');

export default class SharingRuntime extends Runtime {
  constructor(...parts: ConstructorParameters<typeof Runtime>) {
    super(...parts);
    const { esmLoader, executor } = this as unknown as Inner;
    const build = esmLoader.buildCjsAsEsmSyntheticModule.bind(esmLoader);
    esmLoader.buildCjsAsEsmSyntheticModule = (from, path, context) =>
      isByNode(path) ? loadedByNode(path, context) : build(from, path, context);
    const compile = executor.compile.bind(executor);
    executor.compile = (source, path) => {
      const context = executor.environment.getVmContext();
      // Code with a dynamic import needs a realm of its own.
      if (context === null || !path.includes(PACKAGES) || source.includes('import(')) return compile(source, path);
      return compiled(source, path, executor.injectedModuleParameters)?.runInContext(context) ?? compile(source, path);
    };
  }
}

const scripts = new Map<string, Script | undefined>();

/** Returns undefined if the module does not compile. */
function compiled(source: string, path: string, parameters: readonly string[]): Script | undefined {
  if (!scripts.has(path)) scripts.set(path, compiledAnew(source, path, parameters));
  return scripts.get(path);
}

function compiledAnew(source: string, path: string, parameters: readonly string[]): Script | undefined {
  try {
    return new Script(`(function (${parameters.join()}) {${source}\n})`, { filename: path });
  } catch {
    return undefined;
  }
}

/** @returns the module in the form that `import` needs. */
function loadedByNode(path: string, context: Context): SyntheticModule {
  const loaded = load(path) as Record<string, unknown>;
  const exported = { ...loaded, default: loaded, 'module.exports': loaded };
  const fill = function (this: SyntheticModule) {
    for (const [name, value] of Object.entries(exported)) this.setExport(name, value);
  };
  return new SyntheticModule(Object.keys(exported), fill, { context, identifier: path });
}

function compileOwnSchemaOnce(): void {
  const path = join(dirname(load.resolve('express-openapi-validator')), 'framework', 'openapi.schema.validator.js');
  const module = load(path) as { OpenAPISchemaValidator: unknown };
  const Original = module.OpenAPISchemaValidator as new (...options: unknown[]) => object;
  let first: object | undefined;
  module.OpenAPISchemaValidator = function (...options: unknown[]) {
    return (first ??= new Original(...options));
  };
}
