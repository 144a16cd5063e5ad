import { resolve } from 'node:path';
import ts from 'typescript';

const ROOT = resolve(import.meta.dirname, '../..');
const FILE = resolve(ROOT, 'api/planted.ts');

function errorsOf(code: string): string {
  const { config } = ts.readConfigFile(resolve(ROOT, 'tsconfig.json'), (path) => ts.sys.readFile(path)) as {
    config: { compilerOptions: object };
  };
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, ROOT);
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists, readFile } = host;
  host.fileExists = (path) => path === FILE || fileExists(path);
  host.readFile = (path) => (path === FILE ? code : readFile(path));
  host.getSourceFile = (path, version) =>
    path === FILE ? ts.createSourceFile(path, code, version) : getSourceFile(path, version);
  const program = ts.createProgram([FILE], options, host);
  const found = program.getSemanticDiagnostics(program.getSourceFile(FILE));
  return found.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n')).join('\n');
}

test('the compiler names the member of a response body that is missing or of a wrong type', () => {
  const errors = errorsOf(`
    import type { Handler } from './http/operations.ts';
    const body = { user_id: 'usr_1', safe_to_spend: 1, buffer: 1, in_flight: 1 };
    export const missing: Handler<'listVaults'> = async () => ({ status: 200, body });
    export const wrong: Handler<'listVaults'> = async () => ({ status: 200, body: { ...body, buffer: '1', vaults: [] } });
    export const right: Handler<'listVaults'> = async () => ({ status: 200, body: { ...body, vaults: [] } });
  `);
  const last = errors.split('\n').filter((line) => /missing|not assignable to type 'number'/.test(line));
  expect(last).toEqual([
    expect.stringMatching(/^ *Property 'vaults' is missing in type/),
    expect.stringMatching(/^ *Type 'string' is not assignable to type 'number'/),
  ]);
  expect(errors).toContain("Types of property 'buffer' are incompatible");
});
