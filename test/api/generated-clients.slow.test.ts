import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { startApi } from '../helpers/api.ts';
import { pythonWith, runPython } from '../helpers/python.ts';

// Third-party tools generate the clients from the contract that the service publishes.

const run = promisify(execFile);
const ROOT = resolve(import.meta.dirname, '..', '..');
const GENERATOR = { library: 'openapi-python-client', version: '0.29.1' };

const api = startApi();
let dir = '';
let contract = '';
let key = '';

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'ringfence-clients-'));
  contract = join(dir, 'openapi.json');
  await writeFile(contract, (await api.get('/openapi.json')).text);
  key = await api.apiKey(['write:paycheck']);
});
afterAll(() => rm(dir, { recursive: true, force: true }));

const simulated = { employee_id: 'emp-1042', gross_income: 284_735, locked_for_bills: 95_000, locked_buffer: 28_474 };

test('the client that openapi-python-client generates compiles and makes a call', async () => {
  const env = await pythonWith(GENERATOR);
  const config = join(dir, 'python.yaml');
  await writeFile(config, 'post_hooks: []\n');
  const package_ = join(dir, 'python', 'ringfence_client');
  await mkdir(join(dir, 'python'));
  const generate = ['generate', '--path', contract, '--config', config, '--meta', 'none', '--output-path', package_];
  await run('python3', ['-m', 'openapi_python_client', ...generate], { env });
  await run('python3', ['-m', 'compileall', '-q', package_], { env: { PATH: process.env.PATH } });
  const args = [join(dir, 'python'), api.url, api.services.config.api.tls.ca, key];
  expect(JSON.parse(await runPython('generated_client.py', { ...GENERATOR, args }))).toMatchObject(simulated);
});

const CALL = `
import { client } from './ringfence/client.gen';
import { simulatePaycheck } from './ringfence';
const [baseUrl, auth] = process.argv.slice(2) as [string, string];
client.setConfig({ baseUrl, auth, throwOnError: true });
const body = {
  employee_id: 'emp-1042',
  gross_pay: 284_735,
  obligations: [{ type: 'Rent', amount: 95_000, category: 'FIXED' as const }],
};
simulatePaycheck({ body, throwOnError: true }).then(({ data }) => console.log(JSON.stringify(data)));
`;

test('the client that @hey-api/openapi-ts generates compiles and makes a call', async () => {
  const source = join(dir, 'typescript');
  const bin = (name: string) => join(ROOT, 'node_modules', '.bin', name);
  const generate = ['--input', contract, '--output', join(source, 'ringfence'), '--client', '@hey-api/client-fetch'];
  await run(process.execPath, [bin('openapi-ts'), ...generate], { cwd: dir });
  await writeFile(join(source, 'call.ts'), CALL);
  const built = join(dir, 'built');
  const types = ['--types', 'node', '--typeRoots', join(ROOT, 'node_modules', '@types')];
  const how = ['--strict', '--skipLibCheck', '--target', 'es2023', '--lib', 'es2023,dom,dom.iterable'];
  const where = ['--module', 'commonjs', '--moduleResolution', 'node10', '--outDir', built];
  await run(bin('tsc'), [...how, ...where, ...types, join(source, 'call.ts')]);
  await writeFile(join(built, 'package.json'), '{ "type": "commonjs" }');
  const { stdout } = await run(process.execPath, [join(built, 'call.js'), api.url, key], {
    env: { PATH: process.env.PATH, NODE_EXTRA_CA_CERTS: api.services.config.api.tls.ca },
  });
  expect(JSON.parse(stdout)).toMatchObject(simulated);
});
