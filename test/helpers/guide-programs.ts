import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { askUntil, blocksOf, stepsOf, type GuideStack } from './guide.ts';
import { pythonWith } from './python.ts';

const ROOT = resolve(import.meta.dirname, '../..');
export const HTTPX = { library: 'httpx', version: '0.28.1' };

// The page's curl commands have already changed the money of the original owners.
function asOthers(text: string, suffix: 'ts' | 'py'): string {
  return text.replaceAll(/emp-10\d\d/g, `$&-${suffix}`).replaceAll('grace@example.org', `grace-${suffix}@example.org`);
}

const asOriginals = (output: string) => output.replaceAll(/(emp-10\d\d|grace)-(?:ts|py)/g, '$1');

function marked(page: string, mark: string): string {
  return blocksOf(page).find(({ marks }) => marks.includes(mark))!.text;
}

/** Installs the client's package and `openid-client` in the folder, and saves `client.js` and `person.js`, as the guide says. */
export function writeClient({ folder, asHere }: GuideStack): void {
  const packages = join(folder, 'node_modules');
  if (existsSync(packages)) return;
  const client = join(packages, '@ringfence/client');
  mkdirSync(client, { recursive: true });
  execFileSync(process.execPath, [join(ROOT, 'client/contract-types.js')], { cwd: ROOT });
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
  const project = ['--project', join(ROOT, 'client'), '--outDir', join(client, 'dist')];
  execFileSync(process.execPath, [compiler, ...project], { cwd: ROOT });
  copyFileSync(join(ROOT, 'client/package.json'), join(client, 'package.json'));
  for (const name of ['openapi-fetch', 'openid-client'])
    symlinkSync(join(ROOT, 'node_modules', name), join(packages, name));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(folder, 'client.js'), marked('10-start.md', 'client'));
  writeFileSync(join(folder, 'person.js'), asOthers(asHere(marked('56-banks.md', 'person')), 'ts'));
}

/** Readers run the samples with the Node that they have, which can be older than the project's own. */
export function readersNode(): string {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => !folder.includes('node_modules'));
  const found = folders.map((folder) => join(folder, 'node')).find((file) => existsSync(file));
  if (found === undefined) throw new Error('PATH has no Node outside node_modules');
  return found;
}

export function writePythonModule(folder: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'ringfence.py'), marked('55-python.md', 'module'));
}

/** @returns from each block the last `const` that it declares. */
export async function runTypeScript(page: string, stack: GuideStack): Promise<unknown[]> {
  writeClient(stack);
  const steps = stepsOf(page).map(({ ts: written = '', until }) => {
    const patient = (ask: string) => `= await (${askUntil.toString()})(() => ${ask}, '${until}');`;
    const ts = until === undefined ? written : written.replace(/= await ([^;]+);/, (_all, ask: string) => patient(ask));
    const names = [...written.matchAll(/^(?:export )?const (\w+)(?:: [^=]+)? = /gm)].map(([, name]) => name!);
    return `${ts}\n__told.push(${names.at(-1) ?? 'null'});`;
  });
  const program = `const __told = [];\n${steps.join('\n')}\nconsole.log(JSON.stringify(__told.map((told) => told ?? null)));\n`;
  const file = join(stack.folder, page.replace('.md', '.js'));
  writeFileSync(file, asOthers(stack.asHere(program), 'ts'));
  const output = await run(readersNode(), file, { ...process.env, NODE_OPTIONS: '', ...stack.variables });
  return JSON.parse(asOriginals(output)) as unknown[];
}

/** @returns from each block the last name that it assigns. */
export async function runPythonOf(page: string, stack: GuideStack): Promise<unknown[]> {
  if (stepsOf(page).every(({ py }) => py === undefined)) return [];
  writePythonModule(stack.folder);
  const steps = stepsOf(page).map(({ py = '' }) => {
    const names = [...py.matchAll(/^ *(\w+) = /gm)].map(([, name]) => name!);
    return `${py}\n__told.append(${names.at(-1) ?? 'None'})`;
  });
  const program = `import json\n__told = []\n${steps.join('\n')}\nprint(json.dumps(__told, default=str))\n`;
  const file = join(stack.folder, page.replace('.md', '.py'));
  writeFileSync(file, asOthers(stack.asHere(program), 'py'));
  const { variables } = stack;
  const output = await run('python3', file, {
    ...(await pythonWith(HTTPX)),
    ...variables,
    SSL_CERT_FILE: variables.CA,
  });
  return JSON.parse(asOriginals(output.trim().split('\n').at(-1)!)) as unknown[];
}

async function run(interpreter: string, file: string, env: NodeJS.ProcessEnv): Promise<string> {
  const child = spawn(interpreter, [file], { cwd: ROOT, env });
  let output = '';
  let faults = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (faults += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number];
  if (code !== 0) throw new Error(`${file}: ${output}\n${faults}`);
  return output;
}
