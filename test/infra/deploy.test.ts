import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { readConfig } from '../../infra/config/index.ts';
import type { SettingReader } from '../../infra/config/process-settings.ts';
import { API_OPTIONS } from '../../infra/process/node-options.ts';
import { TASK_QUEUES } from '../../workflows/ids.ts';
import { readComposeFile } from '../helpers/compose-file.ts';
import { settingsUsedBy } from '../helpers/settings-used.ts';

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
  envFrom?: { configMapRef: { name: string } }[];
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

const folders = ['base', 'workers', 'overlays/production', 'overlays/production/settings'];
const manifests = folders
  .map((folder) => `kubernetes/${folder}`)
  .flatMap((folder) =>
    readdirSync(join(DEPLOY, folder))
      .filter((file) => file.endsWith('.yaml') && file !== 'kustomization.yaml')
      .flatMap((file) => parseAllDocuments(read(`${folder}/${file}`)).map((one) => one.toJS() as Manifest)),
  );
const running = manifests.filter(({ kind }) => kind === 'Deployment' || kind === 'Job');
const pods = running.map((manifest) => ({ name: manifest.metadata.name, manifest, pod: manifest.spec.template.spec }));
const containers = pods.flatMap(({ name, manifest, pod }) =>
  pod.containers.map((container) => ({ name, kind: manifest.kind, container })),
);

const commands = [...read('entrypoint.sh').matchAll(/^ {2}([a-z-]+)\) exec node (?:--\S+ )*([\w./-]+)/gm)];

describe('the image', () => {
  test('runs without root, with Node as process 1, and every command is an existing program', () => {
    const dockerfile = read('Dockerfile');
    expect(dockerfile).toMatch(/^USER 10001:10001$/m);
    expect(dockerfile).toMatch(/^ENTRYPOINT \["\/app\/infra\/deploy\/entrypoint.sh"\]$/m);
    expect(dockerfile).not.toMatch(/:latest/);
    expect(statSync(join(DEPLOY, 'entrypoint.sh')).mode & 0o111).toBe(0o111);
    expect(commands.map(([, name]) => name)).toEqual(['api', 'worker', 'migrate', 'admin', 'sandbox-bank']);
    for (const [, , program] of commands) expect(statSync(join(ROOT, program!)).isFile()).toBe(true);
  });

  test('limits memory as the local stack does', () => {
    expect(read('entrypoint.sh')).toContain(` ${API_OPTIONS.join(' ')} programs/api.ts`);
  });

  test('contains every file that its code reads by relative path', () => {
    const held = readFileSync(join(ROOT, '.dockerignore'), 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('!'))
      .map((line) => `${line.slice(1)}/`);
    const sources = ['api', 'activities', 'infra', 'programs'].flatMap((folder) =>
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

  test('uses the Node version of the tests', () => {
    const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
      dependencies: Record<string, string>;
    };
    expect(read('Dockerfile')).toContain(`node:${dependencies.node}-bookworm-slim`);
  });
});

interface Peer {
  ipBlock?: { cidr: string };
  namespaceSelector?: { matchLabels: Record<string, string> };
  podSelector?: Selector;
}
interface Selector {
  matchLabels?: Record<string, string>;
  matchExpressions?: { key: string; operator: 'In'; values: string[] }[];
}
interface Policy {
  podSelector: Selector;
  policyTypes: string[];
  egress?: { to?: Peer[]; ports?: { port: number | string }[] }[];
  ingress?: { from?: Peer[]; ports?: { port: number | string }[] }[];
}
const RINGFENCE = { 'app.kubernetes.io/name': 'ringfence' };
const placeOf = ({ ipBlock, namespaceSelector }: Peer, port: number | string) =>
  `${ipBlock?.cidr ?? namespaceSelector?.matchLabels['kubernetes.io/metadata.name']}:${port}`;

function selects({ matchLabels = {}, matchExpressions = [] }: Selector, labels: Record<string, string>): boolean {
  return (
    Object.entries(matchLabels).every(([name, value]) => labels[name] === value) &&
    matchExpressions.every(({ key, operator, values }) => operator === 'In' && values.includes(labels[key] ?? ''))
  );
}

// Operators run commands in the API's pods.
const OPERATORS = [
  ...settingsUsedBy(['site', 'database', 'migration', 'temporal', 'temporalUi', 'worker', 'keys', 'paymentLimits']),
];

const SECRET_FILES: Readonly<Record<string, string[]>> = Object.fromEntries(
  [
    ...readFileSync(join(ROOT, 'docs/operate/kubernetes.md'), 'utf8').matchAll(
      /create secret (?:generic|tls) (\S+) (.*)$/gm,
    ),
  ].map(([, name, files]) => [name!, [...files!.matchAll(/--(?:from-file|cert|key)=(\S+)/g)].map(([, file]) => file!)]),
);

/** In production, a process that uses a group must get these settings. */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  bank: ['BANK_URL', 'BANK_CLIENT_ID', 'BANK_TLS_CA', 'BANK_TLS_CERT', 'BANK_TLS_KEY'],
  bankSigning: [
    'BANK_CONSENT_ID',
    'BANK_SIGNING_KEY',
    'BANK_SIGNING_KEY_ID',
    'BANK_SIGNING_ISSUER',
    'BANK_SERVER_SIGNING_CERT',
  ],
  mail: ['SMTP_URL', 'MAIL_FROM'],
  site: ['RINGFENCE_PUBLIC_URL'],
  database: ['DATABASE_URL', 'RINGFENCE_ENV'],
  temporal: [
    'TEMPORAL_ADDRESS',
    'TEMPORAL_NAMESPACE',
    'TEMPORAL_TLS',
    'TEMPORAL_TLS_CA',
    'TEMPORAL_TLS_CERT',
    'TEMPORAL_TLS_KEY',
  ],
  api: ['TLS_CERT', 'TLS_KEY', 'VAULT_CLIENT_CA'],
  credentials: ['CREDENTIAL_PDF_CERT', 'CREDENTIAL_PDF_KEY'],
  registration: ['REGISTRATION'],
  paymentLimits: ['LIMIT_PAYMENT', 'LIMIT_OWNER_PAYMENTS_PER_DAY'],
  yield: ['YIELD_RATE_SAVINGS'],
};

const readerOf = (command: string) => command as SettingReader;

// `more` may be set without being read.
function expectExactly(command: string, told: Readonly<Record<string, string>>, more: readonly string[]): void {
  const reader = readerOf(command);
  const { WORKER_QUEUES, WORKER_LOOPS } = told;
  const used = settingsUsedBy(reader, { WORKER_QUEUES, WORKER_LOOPS });
  const given = Object.keys(told).map((name) =>
    used.has(name) || more.includes(name) ? name : name.replace(/_FILE$/, ''),
  );
  expect(given.filter((name) => !used.has(name) && !more.includes(name))).toEqual([]);
  const needed = Object.values(NEEDED).filter((names) => names.every((name) => used.has(name)));
  expect(needed.flat().filter((name) => !given.includes(name))).toEqual([]);
}

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

  test.each(containers.filter(({ kind }) => kind === 'Deployment'))('$name has probes', ({ container }) => {
    expect(container).toMatchObject({
      startupProbe: { httpGet: {} },
      livenessProbe: { httpGet: {} },
      readinessProbe: { httpGet: {} },
    });
  });

  test('every deployment may lose one pod at a time, and has only the named network access', () => {
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
    for (const { pod } of pods) expect(secretsOf(pod)).toContain('ringfence-database');
  });

  function toldOf({ env = [], envFrom = [] }: Container): Record<string, string> {
    const maps = envFrom.flatMap(({ configMapRef: { name } }) => {
      const found = manifests.filter(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === name);
      expect([name, found.length > 0]).toEqual([name, true]);
      return found.map(({ data }) => data ?? {});
    });
    return Object.assign({}, ...maps, Object.fromEntries(env.map(({ name, value }) => [name, value ?? '']))) as Record<
      string,
      string
    >;
  }

  const secretsOf = (pod: Pod) =>
    pod.volumes?.find(({ name }) => name === 'secrets')?.projected?.sources.map(({ secret }) => secret.name) ?? [];

  test.each(containers)('$name gets the settings and the secrets that its process uses, and no others', (given) => {
    const told = toldOf(given.container);
    const command = given.container.args![0]!;
    expectExactly(command, told, command === 'api' ? OPERATORS : []);
    // In production the service would also read the files that settings name.
    const { DATABASE_URL_FILE: _url, DATABASE_MIGRATION_URL_FILE: _owner, SMTP_URL_FILE: _mail, ...values } = told;
    readConfig({ ...values, RINGFENCE_ENV: 'sandbox' }, readerOf(command));
    const { pod } = pods.find(({ name }) => name === given.name)!;
    const files = Object.values(told).filter((value) => value.startsWith('/secrets/'));
    const held = secretsOf(pod).flatMap((secret) => SECRET_FILES[secret]!);
    expect(held.toSorted()).toEqual(files.map((path) => path.replace('/secrets/', '')).toSorted());
  });

  test('the document reader has no bank access, and reader, migration and accrual have no outgoing access', () => {
    const documents = containers.find(({ name }) => name === 'ringfence-worker-documents')!;
    expect(
      Object.keys(toldOf(documents.container)).filter((name) => /^(?:BANK|SMTP|TLS|CREDENTIAL)_/.test(name)),
    ).toEqual([]);
    const policies = manifests
      .filter(({ kind }) => kind === 'NetworkPolicy')
      .map(({ spec }) => spec as unknown as Policy);
    const reached = (component: string) =>
      policies
        .filter(({ podSelector }) => selects(podSelector, { ...RINGFENCE, 'app.kubernetes.io/component': component }))
        .flatMap(({ egress = [] }) =>
          egress.flatMap(({ to = [], ports = [] }) =>
            to.flatMap((peer) => ports.map(({ port }) => placeOf(peer, port))),
          ),
        );
    const [names, temporal, database, keys] = [
      'kube-system:53',
      'temporal:7233',
      '10.20.0.0/24:5432',
      '10.20.1.0/24:8200',
    ];
    const outside = '0.0.0.0/0';
    const only = (component: string) => [...new Set(reached(component))].sort();
    expect(only('worker-documents')).toEqual([names, temporal, database, keys].sort());
    expect(only('worker-batch')).toEqual([names, temporal, database].sort());
    expect(only('migrate')).toEqual([names, database].sort());
    expect(only('api')).toEqual([names, temporal, database, keys, `${outside}:443`].sort());
    expect(only('worker-payments')).toEqual(
      [names, temporal, database, keys, `${outside}:443`, `${outside}:465`, `${outside}:587`].sort(),
    );
  });

  test('from other namespaces only the processes that use Temporal can reach it', () => {
    const [policy] = parseAllDocuments(read('kubernetes/temporal/network.yaml')).map((one) => one.toJS() as Manifest);
    const { podSelector, policyTypes, ingress = [] } = policy!.spec as unknown as Policy;
    expect([podSelector, policyTypes]).toEqual([{}, ['Ingress']]);
    const callers = (component: string) =>
      ingress.some(
        ({ from = [], ports = [] }) =>
          ports.some(({ port }) => port === 7233) &&
          from.some(
            (peer) =>
              peer.namespaceSelector?.matchLabels['kubernetes.io/metadata.name'] === 'ringfence' &&
              selects(peer.podSelector!, { ...RINGFENCE, 'app.kubernetes.io/component': component }),
          ),
      );
    const components = running.map(({ spec }) => spec.template.metadata.labels['app.kubernetes.io/component']!);
    expect(components.filter(callers).sort()).toEqual(components.filter((name) => name !== 'migrate').sort());
    // A rule without ports must allow only pods of the policy's own namespace.
    for (const { from = [], ports } of ingress)
      for (const peer of from)
        expect(ports !== undefined || (peer.namespaceSelector === undefined && peer.podSelector !== undefined)).toBe(
          true,
        );
  });

  test('only migration jobs connect as the schema’s owner', () => {
    const shared = manifests.filter(({ kind }) => kind === 'ConfigMap').flatMap(({ data }) => Object.keys(data ?? {}));
    expect(shared.filter((name) => name.startsWith('DATABASE_MIGRATION_URL'))).toEqual([]);
    const owners = containers.filter(({ container }) =>
      container.env?.some(
        ({ name, value }) => name === 'DATABASE_MIGRATION_URL_FILE' && value?.startsWith('/secrets/'),
      ),
    );
    expect(owners.map(({ name, kind }) => [name, kind])).toEqual([['ringfence-migrate', 'Job']]);
    const mounting = pods.filter(({ pod }) =>
      pod.volumes?.some(({ projected }) =>
        projected?.sources.some(({ secret }) => secret.name === 'ringfence-migration'),
      ),
    );
    expect(mounting.map(({ name }) => name)).toEqual(['ringfence-migrate']);
  });

  test('every task queue and every background loop has a process', () => {
    const given = (name: string) =>
      containers.flatMap(({ container }) => container.env ?? []).filter((one) => one.name === name);
    const words = (name: string) => new Set(given(name).flatMap(({ value }) => value!.split(',')));
    expect([...words('WORKER_QUEUES')].sort()).toEqual(Object.values(TASK_QUEUES).sort());
    expect([...words('WORKER_LOOPS')].sort()).toEqual(['bank-events', 'mail', 'none', 'relay', 'upkeep']);
  });
});

describe('the compose file', () => {
  const file = readComposeFile();
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
    }
    const queues = own.flatMap(([, { environment }]) => environment?.WORKER_QUEUES?.split(',') ?? []);
    expect(queues.sort()).toEqual(Object.values(TASK_QUEUES).sort());
  });

  test('lets only the migration connect as the schema’s owner', () => {
    const owners = Object.entries(file.services).filter(
      ([, { environment = {}, secrets = [] }]) =>
        'DATABASE_MIGRATION_URL_FILE' in environment || secrets.includes('database-migration-url'),
    );
    expect(owners.map(([name]) => name)).toEqual(['migrate']);
    expect(read('postgres-init.sh')).toMatch(/^create role ringfence_service login password :'service_password';$/m);
  });

  test.each([...own, ['admin', file.services.admin!] as const])(
    'gives %s the settings and the secrets that it uses, and no others',
    (name, { command, environment = {}, secrets = [] }) => {
      if (name === 'admin') {
        expect(
          Object.keys(environment).filter((given) => !OPERATORS.includes(given.replace(/^(DATABASE_URL)_FILE$/, '$1'))),
        ).toEqual([]);
        // `payment retry` applies the payment limits too.
        expect(Object.keys(environment)).toEqual(expect.arrayContaining(NEEDED.paymentLimits as string[]));
      } else expectExactly(command![0]!, environment, []);
      const files = Object.values(environment).filter((value) => value.startsWith('/run/secrets/'));
      // The database's URL names `inside-ca.crt`, which has no setting of its own.
      const named = new Set([...files.map((path) => path.replace('/run/secrets/', '')), 'inside-ca.crt']);
      expect(secrets.toSorted()).toEqual([...named].sort());
    },
  );

  test('gives outgoing and Temporal access only to services that need it', () => {
    const on = (network: string) =>
      Object.entries(file.services).flatMap(([name, { networks = [] }]) => (networks.includes(network) ? [name] : []));
    expect(on('outside')).toEqual(['temporal-ui', 'api', 'worker-payments']);
    expect(on('temporal')).toEqual([
      'temporal',
      'temporal-ui',
      'api',
      'worker-payments',
      'worker-batch',
      'worker-documents',
      'admin',
    ]);
    expect(on('temporal-database')).toEqual(['postgres', 'temporal']);
    expect(on('database')).toEqual([
      'postgres',
      'migrate',
      'api',
      'worker-payments',
      'worker-batch',
      'worker-documents',
      'admin',
    ]);
    for (const [name, network] of Object.entries(file.networks))
      expect([name, network.internal]).toEqual([name, name === 'outside' ? undefined : true]);
  });

  test('has enough database connections for all services, for Temporal and for operators', () => {
    const text = read('compose.yaml');
    const byDefault = (name: string) => Number(new RegExp(`\\$\\{${name}:-(\\d+)\\}`).exec(text)?.[1]);
    const serving = own.filter(([name]) => name !== 'migrate').length;
    const [ofTemporal, ofMigration, ofOperators] = [4 * (20 + 10), 4, 5];
    const needed = serving * byDefault('DATABASE_POOL_SIZE') + ofTemporal + ofMigration + ofOperators;
    expect(byDefault('POSTGRES_MAX_CONNECTIONS')).toBeGreaterThanOrEqual(needed);
  });

  test('contains no password: each is a file, and required values have no default', () => {
    const text = read('compose.yaml');
    const needed = [...text.matchAll(/\$\{([A-Z_]+):\?/g)].map(([, name]) => name!);
    const example = read('env.example');
    for (const name of needed) expect(example).toMatch(new RegExp(`^${name}=`, 'm'));
    for (const { secrets = [] } of Object.values(file.services))
      for (const secret of secrets) expect(Object.keys(file.secrets)).toContain(secret);
    expect(text).not.toMatch(/(?:PASSWORD|PWD): /);
  });
});

test('the image keeps the files that draw charts', () => {
  const root = mkdtempSync(join(tmpdir(), 'ringfence-slim-'));
  try {
    for (const name of ['echarts', 'onnxruntime-node', '@temporalio/core-bridge'])
      cpSync(join(ROOT, 'node_modules', name), join(root, 'node_modules', name), { recursive: true });
    cpSync(join(DEPLOY, 'slim.js'), join(root, 'infra/deploy/slim.js'));
    const run = (...args: string[]) => spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
    expect(run('infra/deploy/slim.js')).toMatchObject({ status: 0 });
    const draw = `const chart = require('echarts').init(null, null, { renderer: 'svg', ssr: true, width: 9, height: 9 });
      chart.setOption({ xAxis: { data: ['a'] }, yAxis: {}, series: [{ type: 'bar', data: [1] }] });
      console.log(chart.renderToSVGString());
      chart.dispose();`;
    expect(run('--eval', draw)).toMatchObject({ stdout: expect.stringContaining('<svg') as unknown });
  } finally {
    rmSync(root, { recursive: true });
  }
});
