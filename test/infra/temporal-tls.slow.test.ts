import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createSecureServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { NativeConnection } from '@temporalio/worker';
import { readConfig, type TemporalConfig } from '../../infra/config/index.ts';
import { ensurePki } from '../../infra/keys/pki.ts';
import { connectionOptions, openTemporal, probeTemporal } from '../../infra/temporal/client.ts';
import { temporalCli } from '../../programs/local/temporal-cli.ts';
import { runCommand } from '../../programs/admin/run.ts';
import { requireSameTls } from '../../infra/temporal/tls-check.ts';
import { withDatabase } from '../helpers/database.ts';
import { testEnvironment } from '../helpers/environment.ts';
import { freePort } from '../helpers/ports.ts';
import { startProgram } from '../helpers/started.ts';
import { temporalAddress } from '../helpers/temporal.ts';
import { startTlsProxy, type TlsProxy } from '../helpers/tls-proxy.ts';

const folder = mkdtempSync(join(tmpdir(), 'ringfence-temporal-tls-'));
const inside = (file: string) => join(folder, file);
const script = resolve(import.meta.dirname, '../../infra/deploy/inside-certificates.sh');
let temporal: TlsProxy;

beforeAll(async () => {
  expect(spawnSync('sh', [script, folder], { encoding: 'utf8' })).toMatchObject({ status: 0, stdout: '', stderr: '' });
  await ensurePki(inside('stranger'));
  const [ca, cert, key] = ['inside-ca.crt', 'temporal.crt', 'temporal.key'].map((file) => readFileSync(inside(file)));
  temporal = await startTlsProxy(await temporalAddress(), { ca: ca!, cert: cert!, key: key! });
});
afterAll(async () => {
  await temporal.close();
  rmSync(folder, { recursive: true });
});

const clientOf = (name: string) => ({
  TEMPORAL_TLS_CERT: inside(`${name}.crt`),
  TEMPORAL_TLS_KEY: inside(`${name}.key`),
});

function settings(env: Record<string, string> = {}): TemporalConfig {
  return readConfig({
    TEMPORAL_ADDRESS: `localhost:${temporal.port}`,
    TEMPORAL_TLS: 'true',
    TEMPORAL_TLS_CA: inside('inside-ca.crt'),
    ...clientOf('temporal-client'),
    ...env,
  }).temporal;
}

describe('a Temporal that accepts only client certificates', () => {
  test('accepts clients, probes and workers with our certificate', async () => {
    const client = openTemporal(settings());
    await client.connection.workflowService.describeNamespace({ namespace: 'default' });
    await client.connection.close();
    await probeTemporal(settings()).check();
    const native = await NativeConnection.connect(connectionOptions(settings()));
    await native.workflowService.describeNamespace({ namespace: 'default' });
    await native.close();
    expect([...temporal.clients]).toEqual(['temporal-client']);
  });

  const NONE = { TEMPORAL_TLS_CERT: '', TEMPORAL_TLS_KEY: '' };
  test.each([
    ['no certificate', () => NONE],
    ['a certificate of another authority', () => clientOf('stranger/bank-client')],
    ['another authority for its certificate', () => ({ TEMPORAL_TLS_CA: inside('stranger/ca.crt') })],
    ['no TLS', () => ({ TEMPORAL_TLS: 'false', TEMPORAL_TLS_CA: '', ...NONE })],
  ])('refuses %s', async (_what, env) => {
    await expect(probeTemporal(settings(env())).check()).rejects.toThrow();
    await expect(NativeConnection.connect(connectionOptions(settings(env())))).rejects.toThrow();
    expect([...temporal.clients]).toEqual(['temporal-client']);
  });

  test.each(['', '_PATH'])('accepts the CLI with the variables of compose.yaml (%s)', async (kind) => {
    const names = kind === '' ? ['CA', 'CERT', 'KEY'] : ['SERVER_CA_CERT', 'CLIENT_CERT', 'CLIENT_KEY'];
    const files = ['inside-ca.crt', 'temporal.crt', 'temporal.key'].map(inside);
    const tls = Object.fromEntries(names.map((name, index) => [`TEMPORAL_TLS_${name}${kind}`, files[index]]));
    const env = { HOME: folder, TEMPORAL_ADDRESS: `localhost:${temporal.port}`, TEMPORAL_TLS: 'true', ...tls };
    const command = ['operator', 'namespace', 'describe', '--namespace', 'default'];
    const { stdout } = await promisify(execFile)(await temporalCli(), command, { env });
    expect(stdout).toContain('default');
  });
});

describe('a setting of TLS that Temporal contradicts', () => {
  const TLS = /^TEMPORAL_TLS is "false", but Temporal at localhost:\d+ requires TLS\. Set TEMPORAL_TLS to "true"\.\n$/;
  const PLAIN = /^TEMPORAL_TLS is "true", but Temporal at \S+ has no TLS\. Set TEMPORAL_TLS to "false", or /;
  const services = withDatabase();
  const own = () => ({ RINGFENCE_DATA: testEnvironment().dir, DATABASE_URL: services.config.database.url });
  const contradictions = async (): Promise<[env: Record<string, string>, says: RegExp][]> => {
    const plain = (await temporalAddress()).replace('127.0.0.1', 'localhost');
    return [
      [{ TEMPORAL_ADDRESS: `localhost:${temporal.port}` }, TLS],
      [{ TEMPORAL_ADDRESS: plain, TEMPORAL_TLS: 'true' }, PLAIN],
    ];
  };

  test.each(['worker', 'api'] as const)('stops the %s at once, with one sentence', async (program) => {
    const ports = { RINGFENCE_PORT_API: String(await freePort()), METRICS_PORT_API: '0', METRICS_PORT_WORKER: '0' };
    for (const [env, says] of await contradictions()) {
      const began = performance.now();
      const ended = await startProgram(program, { ...own(), ...ports, LOG_LEVEL: 'silent', ...env }).ended;
      expect(ended).toEqual({ code: 78, stdout: '', stderr: expect.stringMatching(says) as string });
      // Nearly all of this time is the start of the process on a busy machine.
      expect(performance.now() - began).toBeLessThan(30_000);
    }
  });

  test('is named within ten seconds by the operator commands that call Temporal', async () => {
    for (const [env, says] of await contradictions()) {
      const began = performance.now();
      expect((await runCommand(['accrue'], { ...own(), ...env })).stderr).toMatch(says);
      expect(performance.now() - began).toBeLessThan(10_000);
    }
  });

  test('is not found if Temporal has what the setting says, or cannot be reached', async () => {
    await requireSameTls(settings());
    await requireSameTls({ address: await temporalAddress(), tls: false });
    await requireSameTls({ address: `localhost:${await freePort()}`, tls: true });
  });
});

test('a Temporal that requires an API key gets it from clients and workers, over TLS', async () => {
  const shown = new Set<string | undefined>();
  const tls = { cert: readFileSync(inside('temporal.crt')), key: readFileSync(inside('temporal.key')) };
  const server = createSecureServer(tls).on('stream', (stream, headers) => {
    shown.add(headers.authorization);
    // An empty gRPC message means that the server has no special capabilities.
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
    stream.end(Buffer.alloc(5));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const withKey = settings({
    TEMPORAL_ADDRESS: `localhost:${(server.address() as AddressInfo).port}`,
    TEMPORAL_TLS_CERT: '',
    TEMPORAL_TLS_KEY: '',
    TEMPORAL_API_KEY: 'a-key-of-ours',
  });
  try {
    await probeTemporal(withKey).check();
    await (await NativeConnection.connect(connectionOptions(withKey))).close();
    expect([...shown]).toEqual(['Bearer a-key-of-ours']);
  } finally {
    server.close();
  }
});

test.each([
  [{ TEMPORAL_TLS_CERT: 'a.crt', TEMPORAL_TLS: 'true' }, 'belong together'],
  [{ TEMPORAL_TLS_CERT: 'a.crt', TEMPORAL_TLS_KEY: 'a.key' }, 'TEMPORAL_TLS_CERT is set, but TEMPORAL_TLS is "false"'],
  [{ TEMPORAL_API_KEY: 'a-key' }, 'TEMPORAL_API_KEY is set, but TEMPORAL_TLS is "false"'],
])('%j is refused, in a sandbox too', (env, says) => {
  expect(() => readConfig(env)).toThrow(says);
});
