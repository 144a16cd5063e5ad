import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { parse, parseAllDocuments } from 'yaml';
import { readConfig } from '../../infra/config.ts';
import { HEAP_FLAGS } from '../../infra/heap.ts';
import { TASK_QUEUES } from '../../workflows/ids.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const DEPLOY = join(ROOT, 'infra/deploy');
const read = (file: string) => readFileSync(join(DEPLOY, file), 'utf8');

interface Env {
  name: string;
  value?: string;
}
interface Container {
  name: string;
  args?: string[];
  env?: Env[];
  envFrom?: object[];
  resources?: { requests?: Record<string, string>; limits?: Record<string, string> };
  securityContext?: { readOnlyRootFilesystem?: boolean; allowPrivilegeEscalation?: boolean; capabilities?: object };
  startupProbe?: object;
  livenessProbe?: object;
  readinessProbe?: object;
  volumeMounts?: { name: string; mountPath: string; readOnly?: boolean }[];
}
interface Pod {
  containers: Container[];
  securityContext?: { runAsNonRoot?: boolean; runAsUser?: number; seccompProfile?: { type?: string } };
  automountServiceAccountToken?: boolean;
  volumes?: { name: string; projected?: { sources: { secret: { name: string } }[] } }[];
}
interface Manifest {
  kind: string;
  metadata: { name: string };
  data?: Record<string, string>;
  spec: { template: { metadata: { labels: Record<string, string> }; spec: Pod } } & Record<string, unknown>;
}

const folders = ['base', 'workers', 'finish', 'overlays/production'].map((folder) => `kubernetes/${folder}`);
const manifests = folders.flatMap((folder) =>
  readdirSync(join(DEPLOY, folder))
    .filter((file) => file !== 'kustomization.yaml')
    .flatMap((file) => parseAllDocuments(read(`${folder}/${file}`)).map((one) => one.toJS() as Manifest)),
);
const running = manifests.filter(({ kind }) => kind === 'Deployment' || kind === 'Job');
const pods = running.map((manifest) => ({ name: manifest.metadata.name, manifest, pod: manifest.spec.template.spec }));
const containers = pods.flatMap(({ name, manifest, pod }) =>
  pod.containers.map((container) => ({ name, kind: manifest.kind, container })),
);

/** Names that the service reads, or that a library or the health check does. */
const settings = [...readFileSync(join(ROOT, 'infra/config.ts'), 'utf8').matchAll(/setting\.\w+\(\s*'([A-Z_]+)'/g)];
const known = new Set(settings.flatMap(([, name]) => [name!, `${name}_FILE`]));

/** The words after which the image's entry point goes on. */
const commands = [...read('entrypoint.sh').matchAll(/^ {2}([a-z-]+)\) exec node (?:--\S+ )*([\w./-]+)/gm)];

describe('the image', () => {
  test('runs as nobody, with Node as process 1, and every command of it is a program that is there', () => {
    const dockerfile = read('Dockerfile');
    expect(dockerfile).toMatch(/^USER 10001:10001$/m);
    expect(dockerfile).toMatch(/^ENTRYPOINT \["\/app\/infra\/deploy\/entrypoint.sh"\]$/m);
    expect(dockerfile).not.toMatch(/:latest/);
    expect(statSync(join(DEPLOY, 'entrypoint.sh')).mode & 0o111).toBe(0o111);
    expect(commands.map(([, name]) => name)).toEqual(['api', 'worker', 'migrate', 'admin', 'sandbox-bank']);
    for (const [, , program] of commands) expect(statSync(join(ROOT, program!)).isFile()).toBe(true);
  });

  test('keeps memory as small as the local stack does', () => {
    expect(read('entrypoint.sh')).toContain(` ${HEAP_FLAGS.api.join(' ')} api/main.ts`);
    expect(read('entrypoint.sh')).toContain(` ${HEAP_FLAGS.worker.join(' ')} infra/worker.ts`);
  });

  test('holds every file that its code reads by where it stands', () => {
    const held = readFileSync(join(ROOT, '.dockerignore'), 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('!'))
      .map((line) => `${line.slice(1)}/`);
    const sources = ['api', 'activities', 'infra'].flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file)),
    );
    const read = sources
      .filter((file) => file.endsWith('.ts'))
      .flatMap((file) =>
        [...readFileSync(join(ROOT, file), 'utf8').matchAll(/new URL\('(\.[^']+)', import\.meta\.url\)/g)].map(
          ([, path]) => join(file, '..', path!),
        ),
      )
      .filter((path) => path !== './' && path !== '../');
    expect(read).toContain('CHANGELOG.md');
    for (const path of read) expect(held.filter((kept) => `${path}/`.startsWith(kept))).not.toEqual([]);
  });

  test('is made on the Node that the project is tested with', () => {
    const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
      dependencies: Record<string, string>;
    };
    expect(read('Dockerfile')).toContain(`node:${dependencies.node}-bookworm-slim`);
  });
});

describe('on Kubernetes', () => {
  test.each(containers)(
    '$name runs without root, rights or a disk to write to, within limits',
    ({ name, container }) => {
      const { pod } = pods.find((one) => one.name === name)!;
      expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
      expect(pod.automountServiceAccountToken).toBe(false);
      expect(container.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      for (const kind of ['requests', 'limits'] as const)
        expect(Object.keys(container.resources?.[kind] ?? {}).sort()).toEqual(['cpu', 'memory']);
      expect(container.volumeMounts?.filter(({ readOnly }) => readOnly !== true)).toEqual([
        { name: 'tmp', mountPath: '/tmp' },
      ]);
      expect(commands.map(([, command]) => command)).toContain(container.args?.[0]);
    },
  );

  test.each(containers.filter(({ kind }) => kind === 'Deployment'))('$name is asked how it is', ({ container }) => {
    expect(container).toMatchObject({
      startupProbe: { httpGet: {} },
      livenessProbe: { httpGet: {} },
      readinessProbe: { httpGet: {} },
    });
  });

  test('every deployment may lose one pod at a time, and is cut off from what is not named', () => {
    const of = (kind: string) => manifests.filter((manifest) => manifest.kind === kind);
    const names = of('Deployment').map(({ metadata }) => metadata.name);
    expect(of('PodDisruptionBudget').map(({ metadata }) => metadata.name)).toEqual(names);
    expect(of('NetworkPolicy').map(({ spec }) => spec)).toContainEqual({
      podSelector: { matchLabels: { 'app.kubernetes.io/name': 'ringfence' } },
      policyTypes: ['Ingress', 'Egress'],
    });
    for (const { spec } of running) expect(spec.template.metadata.labels['app.kubernetes.io/name']).toBe('ringfence');
  });

  test('no secret stands in a manifest: pods take them as files, by name', () => {
    expect(manifests.filter(({ kind }) => kind === 'Secret')).toEqual([]);
    for (const { pod } of pods) {
      const sources = pod.volumes?.find(({ name }) => name === 'secrets')?.projected?.sources ?? [];
      expect(sources.map(({ secret }) => secret.name)).toContain('ringfence');
    }
  });

  test('settings are names that the service knows, with values that it takes', () => {
    const maps = manifests.filter(({ kind }) => kind === 'ConfigMap').map(({ data }) => data ?? {});
    const shared = Object.assign({}, ...maps) as Record<string, string>;
    for (const { container } of containers) {
      const own = Object.fromEntries((container.env ?? []).map(({ name, value }) => [name, value ?? '']));
      const all = { ...shared, ...own };
      expect(Object.keys(all).filter((name) => !known.has(name))).toEqual([]);
      const files = Object.entries(all).filter(([name]) => ['DATABASE_URL_FILE', 'SMTP_URL_FILE'].includes(name));
      expect(files.map(([, path]) => path)).toEqual(['/secrets/database-url', '/secrets/smtp-url']);
      const secrets = Object.keys(all).filter((name) => name === 'DATABASE_MIGRATION_URL_FILE');
      const given = Object.fromEntries(secrets.map((name) => [name, join(DEPLOY, 'compose.yaml')]));
      const urls = { DATABASE_URL: 'postgresql://x@y/z', DATABASE_MIGRATION_URL: 'postgresql://o@y/z' };
      readConfig({ ...all, ...given, ...urls, SMTP_URL: 'smtps://x' });
    }
  });

  test('nobody but the jobs that migrate comes as the owner of the schema', () => {
    const shared = manifests.filter(({ kind }) => kind === 'ConfigMap').flatMap(({ data }) => Object.keys(data ?? {}));
    expect(shared.filter((name) => name.startsWith('DATABASE_MIGRATION_URL'))).toEqual([]);
    const owners = containers.filter(({ container }) =>
      container.env?.some(
        ({ name, value }) => name === 'DATABASE_MIGRATION_URL_FILE' && value?.startsWith('/secrets/'),
      ),
    );
    expect(owners.map(({ name, kind }) => [name, kind])).toEqual([
      ['ringfence-migrate', 'Job'],
      ['ringfence-finish', 'Job'],
    ]);
    const mounting = pods.filter(({ pod }) =>
      pod.volumes?.some(({ projected }) =>
        projected?.sources.some(({ secret }) => secret.name === 'ringfence-migration'),
      ),
    );
    expect(mounting.map(({ name }) => name)).toEqual(['ringfence-migrate', 'ringfence-finish']);
  });

  test('every task queue and every background loop is somebody’s', () => {
    const given = (name: string) =>
      containers.flatMap(({ container }) => container.env ?? []).filter((one) => one.name === name);
    const words = (name: string) => new Set(given(name).flatMap(({ value }) => value!.split(',')));
    expect([...words('WORKER_QUEUES')].sort()).toEqual(Object.values(TASK_QUEUES).sort());
    expect([...words('WORKER_LOOPS')].sort()).toEqual(['bank-events', 'mail', 'none', 'relay', 'upkeep']);
  });
});

describe('the compose file', () => {
  interface Service {
    command?: string[];
    read_only?: boolean;
    cap_drop?: string[];
    environment?: Record<string, string>;
    secrets?: string[];
  }
  const file = parse(read('compose.yaml'), { merge: true }) as {
    services: Record<string, Service>;
    secrets: Record<string, object>;
  };
  const own = Object.entries(file.services).filter(([, { command }]) =>
    commands.some(([, word]) => word === command?.[0]),
  );

  test('runs every process of ours without rights or a disk to write to, with settings that the service knows', () => {
    expect(own.map(([name]) => name)).toEqual([
      'migrate',
      'api',
      'worker-payments',
      'worker-batch',
      'worker-documents',
    ]);
    for (const [, service] of own) {
      expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'] });
      expect(Object.keys(service.environment ?? {}).filter((name) => !known.has(name))).toEqual([]);
    }
    const queues = own.flatMap(([, { environment }]) => environment?.WORKER_QUEUES?.split(',') ?? []);
    expect(queues.sort()).toEqual(Object.values(TASK_QUEUES).sort());
  });

  test('lets nobody but the migration come as the owner of the schema', () => {
    const owners = Object.entries(file.services).filter(
      ([, { environment = {}, secrets = [] }]) =>
        'DATABASE_MIGRATION_URL_FILE' in environment || secrets.includes('database-migration-url'),
    );
    expect(owners.map(([name]) => name)).toEqual(['migrate']);
    expect(read('postgres-init.sh')).toMatch(/^create role ringfence_service login password :'service_password';$/m);
  });

  test('has connections for all of them, for Temporal with its four services, and for operators', () => {
    const text = read('compose.yaml');
    const byDefault = (name: string) => Number(new RegExp(`\\$\\{${name}:-(\\d+)\\}`).exec(text)?.[1]);
    const serving = own.filter(([name]) => name !== 'migrate').length;
    const [ofTemporal, ofMigration, ofOperators] = [4 * (20 + 10), 4, 5];
    const needed = serving * byDefault('DATABASE_POOL_SIZE') + ofTemporal + ofMigration + ofOperators;
    expect(byDefault('POSTGRES_MAX_CONNECTIONS')).toBeGreaterThanOrEqual(needed);
  });

  test('has no password in it: every one is a file, and what has to be given has no default', () => {
    const text = read('compose.yaml');
    const needed = [...text.matchAll(/\$\{([A-Z_]+):\?/g)].map(([, name]) => name!);
    const example = read('env.example');
    for (const name of needed) expect(example).toMatch(new RegExp(`^${name}=`, 'm'));
    for (const { secrets = [] } of Object.values(file.services))
      for (const secret of secrets) expect(Object.keys(file.secrets)).toContain(secret);
    expect(text).not.toMatch(/(?:PASSWORD|PWD): /);
  });
});

describe('the archive of the write-ahead log', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ringfence-archive-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const segment = join(folder, 'segment');
  const archive = (name: string) =>
    spawnSync('sh', [join(DEPLOY, 'postgres-archive.sh'), segment, name, folder]).status;

  test('takes a segment once, says yes again to the same one, and no to another of its name', () => {
    writeFileSync(segment, 'what was written ahead');
    expect(archive('01')).toBe(0);
    expect(gunzipSync(readFileSync(join(folder, '01.gz'))).toString()).toBe('what was written ahead');
    // As after a crash between the archiving and the note of it: without a yes nothing would be archived ever again.
    expect(archive('01')).toBe(0);
    writeFileSync(segment, 'what another database wrote');
    expect(archive('01')).not.toBe(0);
    expect(gunzipSync(readFileSync(join(folder, '01.gz'))).toString()).toBe('what was written ahead');
  });

  test('makes little of a segment that ended early', () => {
    writeFileSync(segment, Buffer.alloc(16 * 1024 * 1024));
    expect(archive('02')).toBe(0);
    expect(statSync(join(folder, '02.gz')).size).toBeLessThan(20_000);
  });
});
