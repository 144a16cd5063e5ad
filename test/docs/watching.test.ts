import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { COMMANDS } from '../../programs/admin/commands.ts';
import { createMetrics } from '../../infra/telemetry/metrics.ts';
import { watchStanding } from '../../infra/telemetry/standing.ts';
import { alertRules, dashboardPanels, metricsIn } from '../helpers/metrics.ts';
import { settingsUsedBy } from '../helpers/settings-used.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const runbook = readFileSync(join(ROOT, 'docs/operate/alerts.md'), 'utf8');
const operations = readdirSync(join(ROOT, 'docs/operate'))
  .map((page) => readFileSync(join(ROOT, 'docs/operate', page), 'utf8'))
  .join('\n');
// Node.js itself reads these variables.
const NODE_READS = ['NODE_TLS_REJECT_UNAUTHORIZED'];
const SECRETS = new Set(['ringfence-database']);
const compose = readFileSync(join(ROOT, 'infra/deploy/compose.yaml'), 'utf8');
const COMMAND = /^(?:admin|kubectl|compose) \S/;
const alerts = alertRules();
const panels = dashboardPanels();

// test/faults/watching.slow.test.ts reads the metrics of running processes.
async function ownMetrics(): Promise<Set<string>> {
  const metrics = createMetrics('test');
  watchStanding(
    metrics,
    { one: () => Promise.reject(new Error('asks nothing')) },
    { now: () => Promise.resolve(new Date()) },
  );
  const listed = await metrics.registry.getMetricsAsJSON();
  const pool = ['size', 'connections', 'waiting'].map((name) => `ringfence_database_pool_${name}`);
  return new Set([...listed.map(({ name }) => name), ...pool]);
}

const withoutEnding = (name: string) => name.replace(/_(?:bucket|sum|count)$/, '');

describe('the alerts', () => {
  test('each have a section in docs/operate/alerts.md, and each such section has an alert', () => {
    const sections = [...runbook.matchAll(/^### (Ringfence\w+)$/gm)].map(([, name]) => name!);
    expect(alerts.length).toBeGreaterThan(20);
    expect(sections.sort()).toEqual(alerts.map(({ alert }) => alert).sort());
    const named = new Set(operations.match(/\bRingfence[A-Z]\w+/g));
    const others = ['RingfenceAttention', 'RingfenceStatus', 'RingfenceOwner', 'RingfenceModule'];
    expect([...named].filter((name) => !sections.includes(name) && !others.includes(name))).toEqual([]);
  });

  test.each(alerts)('$alert has an expression, a severity and a description', ({ expr, labels, annotations }) => {
    expect(metricsIn(expr).length + (/^(?:up|kube_\w+)\{/.test(expr) ? 1 : 0)).toBeGreaterThan(0);
    expect(['page', 'ticket']).toContain(labels.severity);
    expect(annotations.summary).toMatch(/^\S.*\.$/);
  });

  test.each(alerts)('$alert links to its section of docs/operate/alerts.md', ({ alert, annotations }) => {
    const anchor = new RegExp(`^### ${alert}$`, 'm').exec(runbook)![0].slice('### '.length).toLowerCase();
    expect(annotations.runbook_url).toBe(
      `{{ or $externalLabels.ringfence_docs "." }}/docs/operate/alerts.md#${anchor}`,
    );
  });

  test.each(alerts)('the instructions for $alert name a command', ({ alert }) => {
    const [section] = runbook.slice(runbook.indexOf(`### ${alert}\n`) + '### '.length).split(/^##/m, 1);
    const done = /\bDo[:,]\s[^]+/.exec(section!)?.[0] ?? '';
    const commands = [...done.matchAll(/`([^`]+)`/g)].map(([, text]) => text!).filter((text) => COMMAND.test(text));
    expect([alert, commands]).toEqual([alert, expect.arrayContaining([expect.any(String)])]);
  });

  test('take the maximum of service-wide metrics over all processes', () => {
    const ofAll =
      /ringfence_(?:outbox_messages|outbox_oldest\w*|letters_(?:waiting|oldest)\w*|payments_(?:needing|silent|missing)\w*|documents_waiting|credentials_unsigned|(?:yield|reconciliation)_last\w*|bank_(?:consents|connections_unread|syncs_late)\w*)/g;
    for (const expression of [...alerts.map(({ expr }) => expr), ...panels.flatMap(({ expressions }) => expressions)]) {
      for (const { index } of expression.matchAll(ofAll))
        expect([expression, expression.slice(0, index).endsWith('max(')]).toEqual([expression, true]);
    }
  });
});

describe('alerts and dashboards', () => {
  const expressions = [...alerts.map(({ expr }) => expr), ...panels.flatMap(({ expressions: all }) => all)];

  test('name only own metrics that a process reports', async () => {
    const own = await ownMetrics();
    const named = new Set(expressions.flatMap(metricsIn).filter((name) => name.startsWith('ringfence_')));
    expect(named.size).toBeGreaterThan(30);
    expect([...named].filter((name) => !own.has(name) && !own.has(withoutEnding(name)))).toEqual([]);
  });

  test('show every own metric', async () => {
    const text = expressions.join('\n');
    expect([...(await ownMetrics())].filter((name) => !text.includes(name))).toEqual([]);
  });

  test('have expressions with balanced brackets', () => {
    for (const expression of expressions) {
      const open: string[] = [];
      for (const sign of expression.replace(/"[^"]*"/g, '').match(/[()[\]{}]/g) ?? []) {
        if ('([{'.includes(sign)) open.push(sign);
        else
          expect([expression, `${open.pop()}${sign}`]).toEqual([
            expression,
            expect.stringMatching(/^(?:\(\)|\[\]|\{\})$/),
          ]);
      }
      expect([expression, open]).toEqual([expression, []]);
    }
  });

  test.each(['service', 'payments', 'workers', 'database'])(
    'the dashboard %s lets its user choose the Prometheus',
    (name) => {
      const text = readFileSync(join(ROOT, 'infra/deploy/grafana', `${name}.json`), 'utf8');
      const { uid, panels: shown } = JSON.parse(text) as { uid: string; panels: { datasource: { uid: string } }[] };
      expect(uid).toBe(`ringfence-${name}`);
      expect(shown.length).toBeGreaterThan(8);
      for (const { datasource } of shown) expect(datasource.uid).toBe('${datasource}');
    },
  );
});

describe('the pages of docs/operate', () => {
  test('names existing commands, files and settings', () => {
    const commands = [...operations.matchAll(/(?:^|`|-- |--rm )admin ([a-z][a-z-]*(?: [a-z][a-z-]*)?)/gm)].map(
      ([, words]) => words!,
    );
    expect(commands.length).toBeGreaterThan(8);
    const isKnown = (words: string) =>
      Object.hasOwn(COMMANDS, words) || Object.hasOwn(COMMANDS, words.split(' ', 1)[0]!);
    expect(commands.filter((words) => !isKnown(words))).toEqual([]);
    const files = [...operations.matchAll(/`((?:infra|test|workflows)\/[\w./-]+)`/g)].map(([, file]) => file!);
    expect(files.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
    const ofCompose = [...compose.matchAll(/\$\{(\w+)/g)].map(([, name]) => name!);
    const known = new Set([...settingsUsedBy('everything'), ...ofCompose, ...NODE_READS]);
    const settings = [...operations.matchAll(/`([A-Z][A-Z_]{5,})`/g)].map(([, name]) => name!);
    expect(settings.filter((name) => !name.startsWith('OTEL_') && !known.has(name))).toEqual([]);
  });

  test('names deployments and autoscalers of the manifests', () => {
    const folder = join(ROOT, 'infra/deploy/kubernetes');
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.yaml'));
    const documents = files.flatMap((file) =>
      parseAllDocuments(readFileSync(join(folder, file), 'utf8')).map(
        (document) => document.toJS() as { kind?: string; metadata?: { name: string } } | null,
      ),
    );
    const made = (kind: string) =>
      new Set(documents.flatMap((one) => (one?.kind === kind && one.metadata ? [one.metadata.name] : [])));
    const named = (pattern: RegExp) => new Set([...operations.matchAll(pattern)].map(([, name]) => name!));
    const [deployments, autoscalers] = [named(/\bdeployment\/([a-z-]+)/g), named(/ hpa ([a-z-]+)/g)];
    expect(deployments.size).toBeGreaterThan(0);
    expect(autoscalers.size).toBeGreaterThan(1);
    const workers = [...named(/`(ringfence-[a-z-]+)`/g)].filter((name) => !SECRETS.has(name));
    expect(workers.length).toBeGreaterThan(2);
    expect([...deployments, ...workers].filter((name) => !made('Deployment').has(name))).toEqual([]);
    expect([...autoscalers].filter((name) => !made('HorizontalPodAutoscaler').has(name))).toEqual([]);
  });

  test('names services of compose.yaml', () => {
    const services = new Set(Object.keys((parse(compose) as { services: object }).services));
    const called = [...operations.matchAll(/`compose (?:restart|ps|logs|up) ([^`|]*)/g)];
    const named = called.flatMap(([, words]) => words!.split(' ').filter((word) => /^[a-z][a-z-]*$/.test(word)));
    const scaled = [...operations.matchAll(/--scale ([a-z-]+)=/g)].map(([, name]) => name!);
    expect(new Set([...named, ...scaled]).size).toBeGreaterThan(5);
    expect([...named, ...scaled].filter((name) => !services.has(name))).toEqual([]);
  });
});
