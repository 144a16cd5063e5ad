import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { PROBLEMS } from '../../api/http/reply/problem.ts';
import * as frozen from '../../domain/frozen-strings.ts';
import { REVIEW_REASONS } from '../../domain/legacy/reading.ts';
import type { Services } from '../../infra/services.ts';
import { createMetrics } from '../../infra/telemetry/metrics.ts';
import { SCHEDULES } from '../../infra/temporal/schedules.ts';
import { activitiesOf } from '../../programs/worker.ts';
import { ATTENTION, MODULE, OWNER, STATUS } from '../../workflows/attributes.ts';
import { MASTER_KEY_ROTATION, TASK_QUEUES } from '../../workflows/ids.ts';
import * as workflows from '../../workflows/index.ts';
import { journeyOver } from '../../workflows/bank-journey.ts';
import { syncRequested } from '../../workflows/bank-sync.ts';
import { clockMoved, paymentChanged, turnBegun } from '../../workflows/payments.ts';
import { rotationProgress } from '../../workflows/vault-keys.ts';
import { accrualProgress } from '../../workflows/yield.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const pinned: unknown = JSON.parse(readFileSync(join(import.meta.dirname, 'frozen-strings.json'), 'utf8'));

const sources = globSync('{activities,api,infra,programs,workflows}/**/*.ts', { cwd: ROOT })
  .map((file) => readFileSync(join(ROOT, file), 'utf8'))
  .join('\n');

async function current(): Promise<Record<string, unknown>> {
  const { SEAL_USES, DERIVED_KEYS, BLIND_INDEXES, MAC_KINDS, OUTBOX_KINDS, AUDIT_KINDS } = frozen;
  const metrics = await createMetrics('test').registry.getMetricsAsJSON();
  return {
    seal_uses: SEAL_USES,
    derived_keys: DERIVED_KEYS,
    blind_indexes: BLIND_INDEXES,
    mac_kinds: MAC_KINDS,
    outbox_kinds: OUTBOX_KINDS,
    audit_kinds: AUDIT_KINDS,
    review_reasons: REVIEW_REASONS,
    problem_codes: Object.keys(PROBLEMS).toSorted(),
    metrics: metrics.map(({ name }) => name).toSorted(),
    task_queues: TASK_QUEUES,
    workflows: Object.keys(workflows).toSorted(),
    schedules: Object.fromEntries(SCHEDULES.map(({ scheduleId, action }) => [scheduleId, action.workflowId])),
    // Calls no activity.
    activities: Object.fromEntries(
      Object.entries(activitiesOf({} as Services)).map(([queue, ofQueue]) => [queue, Object.keys(ofQueue).toSorted()]),
    ),
    signals: [paymentChanged, clockMoved, turnBegun, journeyOver, syncRequested].map(({ name }) => name),
    queries: [rotationProgress, accrualProgress].map(({ name }) => name),
    search_attributes: [OWNER, MODULE, STATUS, ATTENTION].map(({ name }) => name),
    master_key_rotation: MASTER_KEY_ROTATION,
  };
}

// Add new strings to `frozen-strings.json`. Never change one: stored data and running workflows contain it.
test('strings in stored data and running workflows never change', async () => {
  expect(await current()).toEqual(pinned);
});

test('every string is used by the service', () => {
  const { SEAL_USES, DERIVED_KEYS, BLIND_INDEXES, OUTBOX_KINDS } = frozen;
  const named = [
    ...Object.keys(SEAL_USES).map((name) => `SEAL_USES.${name}`),
    ...Object.keys(DERIVED_KEYS).map((name) => `DERIVED_KEYS.${name}`),
    ...[...BLIND_INDEXES, ...OUTBOX_KINDS].map((text) => `'${text}'`),
  ];
  expect(named.filter((text) => !sources.includes(text))).toEqual([]);
});

test('seal uses and labels of derived keys have no second spelling outside their module', () => {
  for (const text of Object.values(frozen.DERIVED_KEYS)) expect(sources).not.toContain(text);
  expect(sources).not.toMatch(/\{ use: ['"`](?!sig['"`])/);
});
