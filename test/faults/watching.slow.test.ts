import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bodyFor, caOf, fundOwners, type Owner } from '../helpers/faults-load.ts';
import { openFaultClient, type FaultClient } from '../helpers/faults-client.ts';
import { startFaultStack } from '../helpers/faults.ts';
import { alertRules, dashboardPanels, exposedIn, metricsIn, valueOf } from '../helpers/metrics.ts';
import { startOtlpReceiver, type ReceivedSpan } from '../helpers/otlp.ts';
import { freePorts } from '../helpers/ports.ts';
import { until } from '../helpers/until.ts';

const receiver = await startOtlpReceiver();
const [apiPort, workerPort] = await freePorts(2);
const stack = startFaultStack({
  METRICS_PORT_API: String(apiPort),
  METRICS_PORT_WORKER: String(workerPort),
  OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
  OTEL_BSP_SCHEDULE_DELAY: '200',
});
afterAll(() => receiver.close());

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const CALLER = '00f067aa0ba902b7';
const AMOUNT = 13_371;
const REFERENCE = 'Miss Lovelace rent';
let client: FaultClient;
let owner: Owner;
let paymentId: string;

const told = async (port: number | undefined, path = '/metrics') => {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`);
  return { status: answer.status, text: await answer.text() };
};
const metricsOf = async (port: number | undefined) => (await told(port)).text;

beforeAll(async () => {
  client = openFaultClient({ urls: [stack.url], ca: caOf(stack) });
  [owner] = (await fundOwners(client, 1)) as [Owner];
  const asked = {
    token: owner.token,
    key: 'one-watched-payment',
    headers: { traceparent: `00-${TRACE}-${CALLER}-01`, tracestate: 'other=secret-of-theirs' },
    body: {
      vault_allocation_id: owner.allocationId,
      amount: AMOUNT,
      currency: 'GBP',
      provider_id: 'prov_sandbox_instant',
      reference: REFERENCE,
    },
  };
  const paid = await bodyFor<{ payment_id: string }>(201, client.call('POST', '/api/v1/payments/execute', asked));
  paymentId = paid.payment_id;
  await client.call('POST', '/api/v1/payments/execute', asked);
  const path = `/api/v1/payments/${paymentId}?note=what-only-the-caller-knows`;
  await until(async () => {
    const { body } = await client.call('GET', path.split('?', 1)[0]!, { token: owner.token });
    return (body as { status: string }).status === 'completed';
  }, 'the payment');
  await client.once('GET', path, { token: owner.token });
});
afterAll(() => client.close());

describe('the metrics of the running service', () => {
  test('count requests, payments, bank calls, statements and messages, each in the process where it happens', async () => {
    const api = await metricsOf(apiPort);
    expect(valueOf(api, 'ringfence_process_info', { part: 'api' })).toBe(1);
    expect(valueOf(api, 'ringfence_http_requests_total', { operation: 'executePayment', status: '201' })).toBe(2);
    expect(valueOf(api, 'ringfence_http_request_duration_seconds_count', { operation: 'executePayment' })).toBe(2);
    expect(valueOf(api, 'ringfence_idempotent_requests_total', { outcome: 'replayed' })).toBe(1);
    expect(valueOf(api, 'ringfence_payments_total', { event: 'started' })).toBe(1);
    expect(valueOf(api, 'ringfence_http_refusals_total', { code: 'invalid-request' })).toBe(1);
    expect(valueOf(api, 'ringfence_http_requests_in_flight')).toBe(0);
    expect(valueOf(api, 'ringfence_database_statements_total', { statement: 'payments.insert' })).toBe(1);
    expect(valueOf(api, 'ringfence_database_pool_size')).toBe(20);

    // The workflow ends a moment after the payment is completed.
    const ended = ['temporal_workflow_completed_total', { workflow_type: 'payment' }] as const;
    await until(async () => valueOf(await metricsOf(workerPort), ...ended) > 0, 'the end of the workflow');
    const worker = await metricsOf(workerPort);
    expect(valueOf(worker, 'ringfence_process_info', { part: 'worker' })).toBe(1);
    const submitted = { bank: 'sandbox', call: 'pay', outcome: 'accepted' };
    expect(valueOf(worker, 'ringfence_bank_call_duration_seconds_count', submitted)).toBe(1);
    expect(valueOf(worker, 'ringfence_payments_total', { event: 'completed' })).toBe(1);
    expect(valueOf(worker, 'ringfence_payment_completion_seconds_count')).toBe(1);
    const start = { kind: 'payment.start', outcome: 'delivered' };
    expect(valueOf(worker, 'ringfence_outbox_deliveries_total', start)).toBe(1);
    expect(valueOf(worker, ...ended)).toBe(1);
  });

  test('show the same service-wide values in every process', async () => {
    for (const port of [apiPort, workerPort]) {
      const reached = async () => valueOf(await metricsOf(port), 'ringfence_database_reachable') === 1;
      await until(reached, 'a look at the database');
      // The service caches these counts for ten seconds.
      for (const name of ['outbox_messages', 'payments_needing_attention', 'payments_silent', 'letters_waiting'])
        await until(async () => valueOf(await metricsOf(port), `ringfence_${name}`) === 0, `${name} to be none`);
    }
  });

  test('include every metric of the dashboards and alerts', async () => {
    const exposed = exposedIn(`${await metricsOf(apiPort)}\n${await metricsOf(workerPort)}`);
    const named = [
      ...dashboardPanels().flatMap(({ expressions }) => expressions),
      ...alertRules().map(({ expr }) => expr),
    ];
    const missing = new Set(named.flatMap(metricsIn).filter((name) => !exposed.has(name)));
    expect([...missing]).toEqual([]);
  });

  test('contain no id, address or amount', async () => {
    const text = `${await metricsOf(apiPort)}\n${await metricsOf(workerPort)}`;
    for (const secret of [owner.userId, paymentId, owner.token, REFERENCE, '@example.test', owner.allocationId])
      expect(text).not.toContain(secret);
  });
});

describe('the probes', () => {
  test('report both processes as live and ready', async () => {
    for (const port of [apiPort, workerPort]) {
      expect(await told(port, '/live')).toEqual({ status: 200, text: 'live\n' });
      expect(await told(port, '/ready')).toEqual({ status: 200, text: 'ready\n' });
      expect(await told(port, '/')).toMatchObject({ status: 404 });
    }
  });
});

describe('the trace of a payment', () => {
  const ofTrace = () => receiver.spans().filter(({ traceId }) => traceId === TRACE);
  const named = (name: string) => ofTrace().find((span) => span.name === name);

  test('joins the caller, the request, the workflow, its activity and the bank call', async () => {
    // Processes send their spans at different times.
    const asked = ['executePayment', 'sql payments.insert', 'outbox payment.start'];
    const done = ['StartWorkflow', 'RunWorkflow'].map((step) => `${step}:payment`);
    const paid = ['StartActivity', 'RunActivity'].map((step) => `${step}:submitPayment`);
    const all = [...asked, ...done, ...paid, 'bank pay'];
    await until(() => all.every((name) => named(name) !== undefined), `the spans ${all.join(', ')}`);
    const chain = (from: ReceivedSpan): string[] => {
      const parent = ofTrace().find(({ spanId }) => spanId === from.parentSpanId);
      return [`${from.service} ${from.name}`, ...(parent === undefined ? [from.parentSpanId] : chain(parent))];
    };
    expect(chain(named('bank pay')!)).toEqual([
      'ringfence-worker bank pay',
      'ringfence-worker RunActivity:submitPayment',
      'ringfence-worker StartActivity:submitPayment',
      'ringfence-worker RunWorkflow:payment',
      'ringfence-worker StartWorkflow:payment',
      'ringfence-worker outbox payment.start',
      'ringfence-api executePayment',
      CALLER,
    ]);
    expect(named('executePayment')).toMatchObject({ kind: 'SERVER', attributes: { 'http.response.status_code': 201 } });
    const { attributes } = named('bank pay')!;
    expect(attributes).toEqual({ 'ringfence.bank.outcome': 'accepted' });
    expect(named('sql payments.insert')).toMatchObject({ service: 'ringfence-api', kind: 'CLIENT' });
  });

  test('contains only names, ids and codes', async () => {
    const bytes = receiver.received().toString('latin1');
    const secrets = [REFERENCE, '@example.test', owner.token, 'passphrase', 'only-the-caller', 'secret-of-theirs'];
    for (const secret of secrets) expect([secret, bytes.includes(secret)]).toEqual([secret, false]);
    const values = receiver.spans().flatMap(({ attributes }) => Object.values(attributes));
    expect(values).not.toContain(AMOUNT);
    const plain = /^[\w.:/-]{1,128}$/;
    expect(values.filter((value) => !plain.test(String(value)))).toEqual([]);
    expect(receiver.spans().filter(({ events, statusMessage }) => events > 0 || statusMessage !== '')).toEqual([]);
  });

  test('is logged with the request', async () => {
    const lines = readFileSync(join(stack.env.RINGFENCE_DATA!, 'logs', 'api.log'), 'utf8').split('\n');
    const answered = lines.find((line) => line.includes('executePayment') && line.includes(TRACE));
    const { request_id, status, ms, trace_id, span_id } = JSON.parse(answered!) as Record<string, unknown>;
    expect({ status, trace_id, span_id }).toEqual({
      status: 201,
      trace_id: TRACE,
      span_id: named('executePayment')!.spanId,
    });
    expect([typeof request_id, typeof ms]).toEqual(['string', 'number']);
  });
});

test('two processes of one kind on a machine find different ports', async () => {
  await stack.another('API', { RINGFENCE_PORT_API: String((await freePorts(1))[0]) });
  await until(async () => (await told(apiPort! + 1, '/ready').catch(() => undefined))?.status === 200, 'the next port');
});
