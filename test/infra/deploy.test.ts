import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { readConfig } from '../../infra/config/index.ts';
import type { SettingReader } from '../../infra/config/process-settings.ts';
import { API_MALLOC, API_OPTIONS } from '../../infra/process/node-options.ts';
import { TASK_QUEUES } from '../../workflows/ids.ts';
import { readComposeFile } from '../helpers/compose-file.ts';
import { settingsUsedBy } from '../helpers/settings-used.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const DEPLOY = join(ROOT, 'infra/deploy');
const read = (file: string) => readFileSync(join(DEPLOY, file), 'utf8');

/** A part of a manifest, whose shape Kubernetes defines. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Part = any;
type Labels = Readonly<Record<string, string>>;

function manifestsIn(folder: string): Part[] {
  const files = readdirSync(join(DEPLOY, 'kubernetes', folder), { recursive: true, encoding: 'utf8' });
  return files
    .filter((file) => file.endsWith('.yaml') && !file.endsWith('kustomization.yaml'))
    .flatMap((file) => parseAllDocuments(read(`kubernetes/${folder}/${file}`)).map((one): Part => one.toJS()));
}
const manifests = ['base', 'workers', 'front', 'overlays/production'].flatMap(manifestsIn);
const of = (kind: string) => manifests.filter((manifest) => manifest.kind === kind);
const namesOf = (parts: Part[]) => parts.map(({ metadata }) => metadata.name as string);

const pods = [...of('Deployment'), ...of('Job')].map(({ kind, metadata, spec }) => {
  const { metadata: pod, spec: podSpec } = spec.template;
  return { kind, name: metadata.name as string, labels: pod.labels as Labels, pod: podSpec, ...podSpec };
});
const running = pods.filter(({ pod }) => pod.containers[0].image === 'ringfence');
const COMPONENT = 'app.kubernetes.io/component';
const componentOf = ({ labels }: { labels: Labels }) => labels[COMPONENT]!;

const commands = [...read('entrypoint.sh').matchAll(/^ {2}([a-z-]+)\) exec node (?:--\S+ )*([\w./-]+)/gm)];

describe('the image', () => {
  test('runs without root, with the tests’ Node as process 1, and every command is an existing program', () => {
    const dockerfile = read('Dockerfile');
    expect(dockerfile).toMatch(/^USER 10001:10001$/m);
    expect(dockerfile).toMatch(/^ENTRYPOINT \["\/app\/infra\/deploy\/entrypoint.sh"\]$/m);
    expect(dockerfile).not.toMatch(/:latest/);
    const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    expect(dockerfile).toContain(`node:${dependencies.node}-bookworm-slim`);
    expect(statSync(join(DEPLOY, 'entrypoint.sh')).mode & 0o111).toBe(0o111);
    expect(commands.map(([, name]) => name)).toEqual([
      ...['api', 'worker', 'reader', 'migrate', 'admin', 'sandbox-bank'],
    ]);
    for (const [, , program] of commands) expect(statSync(join(ROOT, program!)).isFile()).toBe(true);
    // The local stack limits memory by the same options.
    expect(read('entrypoint.sh')).toContain(` ${API_OPTIONS.join(' ')} programs/api.ts`);
    const malloc = Object.entries(API_MALLOC).map(([name, value]) => `${name}=${value}`);
    expect(read('entrypoint.sh')).toContain(` export ${malloc.join(' ')}\n`);
  });

  test('and the images beside it are named by their digests', () => {
    const files = ['Dockerfile', 'compose.yaml', 'kubernetes/front/kustomization.yaml'].map(read);
    const named = files.flatMap((text) => text.match(/(?:_IMAGE=|_IMAGE:-|digest: |^# syntax=).*$/gm) ?? []);
    expect(named).toHaveLength(7);
    for (const image of named) expect(image).toMatch(/sha256:[0-9a-f]{64}\}?$/);
  });

  test('contains every file that its code reads by relative path', () => {
    const held = readFileSync(join(ROOT, '.dockerignore'), 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('!'))
      .map((line) => `${line.slice(1)}/`);
    const needed = ['api', 'activities', 'infra', 'programs']
      .flatMap((folder) =>
        readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file)),
      )
      .filter((file) => file.endsWith('.ts'))
      .flatMap((file) => {
        const urls = readFileSync(join(ROOT, file), 'utf8').matchAll(/new URL\('(\.[^']+)', import\.meta\.url\)/g);
        return [...urls].map(([, path]) => join(file, '..', path!));
      })
      .filter((path) => path !== './' && path !== '../');
    expect(needed).toContain('CHANGELOG.md');
    for (const path of needed) expect(held.filter((kept) => `${path}/`.startsWith(kept))).not.toEqual([]);
  });

  test('keeps the files that draw charts', () => {
    const root = mkdtempSync(join(tmpdir(), 'ringfence-slim-'));
    try {
      for (const name of ['echarts', 'onnxruntime-node', '@temporalio/core-bridge'])
        cpSync(join(ROOT, 'node_modules', name), join(root, 'node_modules', name), {
          recursive: true,
          // Of the native libraries, the script needs only the folders.
          filter: (path) => name === 'echarts' || statSync(path).isDirectory(),
        });
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
});

// Operators run commands in the API's pods.
const OPERATORS = [
  ...settingsUsedBy([
    'site',
    'database',
    'migration',
    'temporal',
    'temporalUi',
    'worker',
    'keys',
    'witness',
    'bank',
    'paymentLimits',
  ]),
];
const PAYMENT_LIMITS = [
  ...['LIMIT_PAYMENT', 'LIMIT_OWNER_PAYMENTS_PER_DAY'],
  ...['LIMIT_OWNER_PAYMENT_COUNT_PER_DAY', 'LIMIT_APP_PAYMENT_COUNT_PER_DAY'],
];

/** In production, a process that uses one of these groups must get all of its settings. */
const NEEDED = [
  ['BANKS_FILE', 'BANK_HOUSE', 'BANK_CONSENT_ID'],
  ['SMTP_URL', 'MAIL_FROM'],
  ['RINGFENCE_PUBLIC_URL'],
  ['DATABASE_URL', 'RINGFENCE_ENV'],
  ['ADDRESS', 'NAMESPACE', 'TLS', 'TLS_CA', 'TLS_CERT', 'TLS_KEY'].map((name) => `TEMPORAL_${name}`),
  ['TLS_CERT', 'TLS_KEY', 'VAULT_CLIENT_CA'],
  ['CREDENTIAL_PDF_CERT', 'CREDENTIAL_PDF_KEY'],
  ['REGISTRATION'],
  ['CHECKPOINTS'],
  PAYMENT_LIMITS,
  ['YIELD_RATE_SAVINGS'],
  ['DOCUMENT_READERS'],
];

// `more` may be set without being read.
function expectExactly(command: string, told: Readonly<Record<string, string>>, more: readonly string[]): void {
  const { WORKER_QUEUES, WORKER_LOOPS } = told;
  const used = settingsUsedBy(command as SettingReader, { WORKER_QUEUES, WORKER_LOOPS });
  const given = Object.keys(told).map((name) =>
    used.has(name) || more.includes(name) ? name : name.replace(/_FILE$/, ''),
  );
  expect(given.filter((name) => !used.has(name) && !more.includes(name))).toEqual([]);
  const needed = NEEDED.filter((names) => names.every((name) => used.has(name)));
  expect(needed.flat().filter((name) => !given.includes(name))).toEqual([]);
}

/** The page that says how to create the secrets. */
const SECRETS_PAGE = readFileSync(join(ROOT, 'docs/operate/kubernetes.md'), 'utf8');
const SECRET_FILES: Readonly<Record<string, string[]>> = Object.fromEntries(
  [...SECRETS_PAGE.matchAll(/create secret (?:generic|tls) (\S+) (.*)$/gm)].map(([, name, files]) => [
    name!,
    [...files!.matchAll(/--(?:from-file|cert|key)=(\S+)/g)].map(([, file]) => file!),
  ]),
);

function toldOf({ containers: [container] }: Part): Record<string, string> {
  const maps = (container.envFrom ?? []).flatMap(({ configMapRef: { name } }: Part) => {
    const found = of('ConfigMap').filter(({ metadata }) => metadata.name === name);
    expect([name, found.length > 0]).toEqual([name, true]);
    return found.map(({ data }) => data ?? {});
  });
  return Object.assign({}, ...maps, ...(container.env ?? []).map(({ name, value = '' }: Part) => ({ [name]: value })));
}

const secretsOf = ({ volumes = [] }: Part): string[] =>
  volumes
    .filter(({ name }: Part) => name === 'secrets')
    .flatMap(({ projected }: Part) => projected.sources.map(({ secret }: Part) => secret.name));

function selects({ matchLabels = {}, matchExpressions = [] }: Part, labels: Labels): boolean {
  return (
    Object.entries(matchLabels).every(([name, value]) => labels[name] === value) &&
    matchExpressions.every(({ key, operator, values }: Part) => operator === 'In' && values.includes(labels[key]))
  );
}

describe('on Kubernetes', () => {
  test.each(pods)('$name runs without root, rights or a disk to write to, within limits', ({ kind, pod }) => {
    expect(pod).toMatchObject({
      securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
      automountServiceAccountToken: false,
    });
    const hasReader = pod.containers[0].name === 'worker-documents';
    expect(pod.containers).toHaveLength(hasReader ? 2 : 1);
    for (const container of pod.containers) {
      expect(container).toMatchObject({
        resources: { requests: { cpu: expect.anything(), memory: expect.anything() } },
        ...(kind === 'Deployment' && {
          startupProbe: expect.anything(),
          livenessProbe: expect.anything(),
          readinessProbe: expect.anything(),
        }),
      });
      expect(Object.keys(container.resources.limits).sort()).toEqual(['cpu', 'memory']);
      expect(container.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      const writable = container.volumeMounts.filter(({ readOnly }: Part) => readOnly !== true);
      expect(writable.map(({ mountPath }: Part) => mountPath)).toEqual([
        ...(container.name === 'reader' ? [] : ['/tmp']),
        ...(toldOf(pod).WORKER_LOOPS?.includes('witness') ? ['/checkpoints'] : []),
        ...(hasReader ? ['/reading'] : []),
      ]);
    }
  });

  test('what reads uploads has no secret, and no folder but that of its socket', () => {
    const { containers, volumes } = running.find(({ name }) => name === 'ringfence-worker-documents')!.pod;
    const [, { args, env, envFrom, volumeMounts }] = containers;
    expect({ args, env, envFrom, volumeMounts }).toEqual({
      args: ['reader'],
      env: [{ name: 'DOCUMENT_READERS', value: '/reading' }],
      volumeMounts: [{ name: 'reading', mountPath: '/reading' }],
    });
    expect(volumes).toContainEqual({ name: 'reading', emptyDir: { sizeLimit: '1Mi' } });
  });

  test('no secret stands in a manifest: pods take them as files, by name', () => {
    expect(of('Secret')).toEqual([]);
    for (const { pod } of running) {
      expect(secretsOf(pod)).toContain('ringfence-database');
      expect(commands.map(([, command]) => command)).toContain(pod.containers[0].args[0]);
    }
  });

  test.each(running)('$name gets the settings and the secrets that its process uses, and no others', ({ pod }) => {
    const told = toldOf(pod);
    const command = pod.containers[0].args[0];
    expectExactly(command, told, command === 'api' ? OPERATORS : []);
    // In production the service would also read the files that settings name.
    const { DATABASE_URL_FILE: _url, DATABASE_MIGRATION_URL_FILE: _owner, SMTP_URL_FILE: _mail, ...others } = told;
    const { BANKS_FILE: banksFile, BANK_HOUSE: _house, ...values } = others;
    readConfig({ ...values, RINGFENCE_ENV: 'sandbox' }, command as SettingReader);
    const files = Object.values(told).filter((value) => value.startsWith('/secrets/'));
    const held = secretsOf(pod).flatMap((secret) => SECRET_FILES[secret]!);
    expect(held.toSorted()).toEqual(files.map((path) => path.replace('/secrets/', '')).toSorted());
    const banks = pod.volumes.filter(({ secret }: Part) => secret?.secretName === 'ringfence-banks');
    expect(banks).toHaveLength(banksFile === undefined ? 0 : 1);
  });

  test('only migration jobs connect as the schema’s owner', () => {
    const owners = running.filter(({ pod }) => Object.keys(toldOf(pod)).some((name) => /MIGRATION_URL/.test(name)));
    expect(owners.map(({ name, kind }) => [name, kind])).toEqual([['ringfence-migrate', 'Job']]);
  });

  test('the document reader has no bank access, and each process reaches only what it needs', () => {
    const documents = running.find(({ name }) => name === 'ringfence-worker-documents')!;
    const others = Object.keys(toldOf(documents.pod)).filter((name) => /^(?:BANK|SMTP|TLS|CREDENTIAL)_/.test(name));
    expect(others).toEqual([]);
    const reached = (process: (typeof running)[number]) =>
      of('NetworkPolicy')
        .filter(({ spec }) => selects(spec.podSelector, process.labels))
        .flatMap(({ spec }) => spec.egress ?? [])
        .flatMap(({ to = [], ports = [] }: Part) =>
          to.flatMap((peer: Part) => ports.map(({ port }: Part) => placeOf(peer, port))),
        );
    const placeOf = ({ ipBlock, namespaceSelector }: Part, port: number) =>
      `${ipBlock?.cidr ?? namespaceSelector.matchLabels['kubernetes.io/metadata.name']}:${port}`;
    const [names, temporal, database, keys] = [
      'kube-system:53',
      'temporal:7233',
      '10.20.0.0/24:5432',
      '10.20.1.0/24:8200',
    ];
    const outside = (port: number) => `0.0.0.0/0:${port}`;
    expect(Object.fromEntries(running.map((process) => [componentOf(process), new Set(reached(process))]))).toEqual({
      api: new Set([names, temporal, database, keys, outside(443)]),
      'worker-payments': new Set([names, temporal, database, keys, outside(443), outside(465), outside(587)]),
      'worker-documents': new Set([names, temporal, database, keys]),
      'worker-batch': new Set([names, temporal, database]),
      migrate: new Set([names, database]),
    });
    const nothingElse = { podSelector: { matchLabels: { 'app.kubernetes.io/name': 'ringfence' } } };
    expect(of('NetworkPolicy').map(({ spec }) => spec)).toContainEqual({
      ...nothingElse,
      policyTypes: ['Ingress', 'Egress'],
    });
    for (const { labels } of running) expect(selects(nothingElse.podSelector, labels)).toBe(true);
  });

  test('only nginx reaches the port that trusts its callers, and reaches nothing but that', () => {
    const front = pods.find(({ name }) => name === 'ringfence-front')!;
    const policiesOf = ({ labels }: { labels: Labels }) =>
      of('NetworkPolicy').filter(({ spec }) => selects(spec.podSelector, labels));
    const api = running.find((process) => componentOf(process) === 'api')!;
    const rules = policiesOf(api).flatMap(({ spec }) => spec.ingress ?? []);
    const trusting = rules.filter(({ ports }: Part) => ports.some(({ port }: Part) => port === 'proxied'));
    expect(trusting).toEqual([{ from: [{ podSelector: { matchLabels: front.labels } }], ports: [expect.anything()] }]);
    const [policy, ...others] = policiesOf(front);
    expect([policy.metadata.name, policy.spec.policyTypes, others]).toEqual([front.name, ['Ingress', 'Egress'], []]);
    const [toApi, ...names] = policy.spec.egress;
    expect(selects(toApi.to[0].podSelector, api.labels)).toBe(true);
    expect([toApi.to.length, toApi.ports[0].port]).toEqual([1, Number(toldOf(api.pod).RINGFENCE_PORT_PROXIED)]);
    expect(names.map(({ ports }: Part) => ports[0].port)).toEqual([53]);
    const [host, port] = /server (\S+):(\d+);/.exec(read('nginx/nginx.conf'))!.slice(1);
    const [{ spec: service }] = of('Service').filter(({ metadata }) => metadata.name === host);
    expect([selects({ matchLabels: service.selector }, api.labels), service.ports[0].port]).toEqual([
      true,
      Number(port),
    ]);
  });

  test('from other namespaces only the processes that use Temporal can reach it', () => {
    const [{ spec }] = manifestsIn('temporal');
    expect([spec.podSelector, spec.policyTypes]).toEqual([{}, ['Ingress']]);
    const rules = spec.ingress.map(({ from, ports }: Part) => ({ from, ports: ports?.map(({ port }: Part) => port) }));
    const ours = (peer: Part) => peer.namespaceSelector?.matchLabels['kubernetes.io/metadata.name'] === 'ringfence';
    const reaches = ({ labels }: { labels: Labels }) =>
      rules.some(
        ({ from, ports }: Part) =>
          ports?.includes(7233) && from.some((peer: Part) => ours(peer) && selects(peer.podSelector, labels)),
      );
    expect(running.filter((process) => !reaches(process)).map(componentOf)).toEqual(['migrate']);
    // A rule without ports must allow only pods of the policy's own namespace.
    const everyPort = rules.filter(({ ports }: Part) => ports === undefined).flatMap(({ from }: Part) => from);
    expect(everyPort).toEqual([{ podSelector: {} }]);
  });

  test('every task queue and every background loop has a process', () => {
    const words = (name: string) => new Set(running.flatMap(({ pod }) => toldOf(pod)[name]?.split(',') ?? []));
    expect([...words('WORKER_QUEUES')].sort()).toEqual(Object.values(TASK_QUEUES).sort());
    expect([...words('WORKER_LOOPS')].sort()).toEqual(['bank-events', 'mail', 'none', 'relay', 'upkeep', 'witness']);
  });

  test('every deployment may lose one pod at a time, and has as many as its autoscaler says, or two', () => {
    expect(namesOf(of('PodDisruptionBudget'))).toEqual(namesOf(of('Deployment')));
    const scaled = of('HorizontalPodAutoscaler').map(({ spec }) => spec.scaleTargetRef.name);
    expect(scaled).toContain('ringfence-api');
    for (const { metadata, spec } of of('Deployment'))
      expect([metadata.name, spec.replicas]).toEqual([metadata.name, scaled.includes(metadata.name) ? undefined : 2]);
  });

  test('a stopping pod serves until its service stops routing to it, and then has time to end', () => {
    const [{ spec: service }] = of('Service');
    const [api, ...others] = running.filter(({ labels }) => selects({ matchLabels: service.selector }, labels));
    expect([api!.name, others]).toEqual(['ringfence-api', []]);
    const [command, seconds] = api!.pod.containers[0].lifecycle.preStop.exec.command;
    expect(command).toBe('sleep');
    expect(Number(seconds)).toBeGreaterThanOrEqual(10);
    // `FINISH_WITHIN_MS` of programs/api.ts plus a margin.
    expect(Number(seconds) + 10 + 5).toBeLessThan(api!.pod.terminationGracePeriodSeconds);
  });

  test('selectors of released and unreleased workers do not overlap', () => {
    const releases = ['workers', 'overlays/release'].flatMap((folder) =>
      parse(read(`kubernetes/${folder}/kustomization.yaml`))
        .labels.filter(({ includeSelectors }: Part) => includeSelectors)
        .map(({ pairs }: Part) => pairs['ringfence/release']),
    );
    expect(releases.filter((release: unknown) => release !== undefined)).toEqual(['none', '0-1-0']);
  });
});

describe('the compose file', () => {
  const file = readComposeFile();
  const text = read('compose.yaml');
  const own = Object.entries(file.services).filter(([, { command }]) =>
    commands.some(([, word]) => word === command?.[0]),
  );
  const workers = ['worker-payments', 'worker-batch', 'worker-documents'];

  test('runs every process of ours without rights or a disk to write to, and every task queue has a worker', () => {
    expect(own.map(([name]) => name)).toEqual(['migrate', 'api', ...workers, 'reader']);
    for (const [, service] of own) expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'] });
    const queues = own.flatMap(([, { environment }]) => environment?.WORKER_QUEUES?.split(',') ?? []);
    expect(queues.sort()).toEqual(Object.values(TASK_QUEUES).sort());
  });

  test('gives what reads uploads no secret, no network, and no folder but that of its socket', () => {
    const { environment, secrets, network_mode, networks, volumes } = file.services.reader!;
    expect({ environment, secrets, network_mode, networks, volumes }).toEqual({
      environment: { DOCUMENT_READERS: '/reading' },
      network_mode: 'none',
      volumes: ['reading:/reading'],
    });
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
    (name, { command, environment = {}, secrets = [], volumes = [] }) => {
      expect(volumes.some((volume) => volume.endsWith(':/banks:ro'))).toBe('BANKS_FILE' in environment);
      const end = environment.WORKER_LOOPS?.includes('witness') ? ':/checkpoints' : ':/checkpoints:ro';
      expect(volumes.some((volume) => volume.endsWith(end))).toBe('CHECKPOINTS' in environment);
      if (name === 'admin') {
        const given = Object.keys(environment).map((setting) => setting.replace(/^(DATABASE_URL)_FILE$/, '$1'));
        expect(given.filter((setting) => !OPERATORS.includes(setting))).toEqual([]);
        // `payment retry` applies the payment limits too.
        expect(given).toEqual(expect.arrayContaining(PAYMENT_LIMITS));
      } else expectExactly(command![0]!, environment, []);
      const files = Object.values(environment).filter((value) => value.startsWith('/run/secrets/'));
      // The database's URL names `inside-ca.crt`, which has no setting of its own.
      const ca = 'DATABASE_URL_FILE' in environment ? ['inside-ca.crt'] : [];
      const named = new Set([...files.map((path) => path.replace('/run/secrets/', '')), ...ca]);
      expect(secrets.toSorted()).toEqual([...named].sort());
    },
  );

  test('gives outgoing and Temporal access only to services that need it', () => {
    const on = (network: string) =>
      Object.entries(file.services).flatMap(([name, { networks = [] }]) =>
        (Array.isArray(networks) ? networks : Object.keys(networks)).includes(network) ? [name] : [],
      );
    expect(on('outside')).toEqual(['temporal-ui', 'api', 'front', 'worker-payments', 'admin']);
    expect(on('front')).toEqual(['api', 'front']);
    expect(on('temporal')).toEqual(['temporal', 'temporal-ui', 'api', ...workers, 'admin']);
    expect(on('temporal-database')).toEqual(['postgres', 'temporal']);
    expect(on('database')).toEqual(['postgres', 'migrate', 'api', ...workers, 'admin']);
    for (const [name, network] of Object.entries(file.networks))
      expect([name, network.internal]).toEqual([name, name === 'outside' ? undefined : true]);
  });

  test('publishes only nginx, whose address alone the API trusts, and Temporal’s Web UI on this machine', () => {
    const published = Object.entries(file.services).filter(([, { ports }]) => ports !== undefined);
    expect(published.map(([name]) => name)).toEqual(['temporal-ui', 'front']);
    expect(file.services['temporal-ui']!.ports).toEqual([expect.stringMatching(/^127\.0\.0\.1:/)]);
    const addressOf = (name: string) =>
      (file.services[name]!.networks as Record<string, { ipv4_address: string }>).front!.ipv4_address;
    const { RINGFENCE_TRUSTED_PROXIES, RINGFENCE_PROXIED_HOST } = file.services.api!.environment!;
    expect([RINGFENCE_TRUSTED_PROXIES, RINGFENCE_PROXIED_HOST]).toEqual([`${addressOf('front')}/32`, addressOf('api')]);
    expect(file.services.front).toMatchObject({ read_only: true, cap_drop: ['ALL'], user: '10001:10001' });
  });

  test('has enough database connections for all services, for Temporal and for operators', () => {
    const byDefault = (name: string) => Number(new RegExp(`\\$\\{${name}:-(\\d+)\\}`).exec(text)?.[1]);
    const serving = own.filter(([name]) => name !== 'migrate' && name !== 'reader').length;
    const [ofTemporal, ofMigration, ofOperators] = [4 * (20 + 10), 4, 5];
    const needed = serving * byDefault('DATABASE_POOL_SIZE') + ofTemporal + ofMigration + ofOperators;
    expect(byDefault('POSTGRES_MAX_CONNECTIONS')).toBeGreaterThanOrEqual(needed);
  });

  test('contains no password: each is a file, and required values have no default', () => {
    const needed = [...text.matchAll(/\$\{([A-Z_]+):\?/g)].map(([, name]) => name!);
    for (const name of needed) expect(read('env.example')).toMatch(new RegExp(`^${name}=`, 'm'));
    for (const { secrets = [] } of Object.values(file.services))
      for (const secret of secrets) expect(Object.keys(file.secrets)).toContain(secret);
    expect(text).not.toMatch(/(?:PASSWORD|PWD): /);
  });
});
