import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { blocksOf, stepsOf, type GuideStack } from './guide.ts';
import { pythonWith } from './python.ts';

const ROOT = resolve(import.meta.dirname, '../..');
export const HTTPX = { library: 'httpx', version: '0.28.1' };

// The page's curl commands have already changed the money of the original owners.
function asTypeScript(text: string): string {
  return text.replaceAll(/emp-10\d\d/g, '$&-ts').replaceAll('grace@example.org', 'grace-ts@example.org');
}

function marked(page: string, mark: string): string {
  return blocksOf(page).find(({ marks }) => marks.includes(mark))!.text;
}

export function writeClient({ folder }: GuideStack): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'client.ts'), withClient(marked('10-start.md', 'client')));
}

export function writePythonModule(folder: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'ringfence.py'), marked('55-python.md', 'module'));
}

/** @returns from each block the last `const` that it declares. */
export async function runTypeScript(page: string, stack: GuideStack): Promise<unknown[]> {
  writeClient(stack);
  const steps = stepsOf(page).map(({ ts = '' }) => {
    const names = [...ts.matchAll(/^(?:export )?const (\w+)(?:: [^=]+)? = /gm)].map(([, name]) => name!);
    return `${ts}\n__told.push(${names.at(-1) ?? 'null'});`;
  });
  const program = `const __told: unknown[] = [];\n${steps.join('\n')}\nconsole.log(JSON.stringify(__told.map((told) => told ?? null)));\n`;
  const file = join(stack.folder, page.replace('.md', '.ts'));
  writeFileSync(file, withClient(asTypeScript(stack.asHere(program))));
  const output = await run(process.execPath, file, { ...process.env, NODE_OPTIONS: '', ...stack.variables });
  return JSON.parse(output.replaceAll(/(emp-10\d\d|grace)-ts/g, '$1')) as unknown[];
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
  writeFileSync(file, stack.asHere(program));
  const { variables } = stack;
  const output = await run('python3', file, {
    ...(await pythonWith(HTTPX)),
    ...variables,
    SSL_CERT_FILE: variables.CA,
  });
  return JSON.parse(output.trim().split('\n').at(-1)!) as unknown[];
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

// A program elsewhere finds neither `openid-client` nor the client's package.
export function withClient(program: string): string {
  return program
    .replaceAll("'openid-client'", `'${import.meta.resolve('openid-client')}'`)
    .replaceAll("'@ringfence/client/node'", `'${join(ROOT, 'client/src/node.ts')}'`)
    .replaceAll("'@ringfence/client'", `'${join(ROOT, 'client/src/index.ts')}'`);
}
