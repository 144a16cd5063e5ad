import { randomInt, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { FormData, request } from 'undici';
import { TASK_QUEUES } from '../../workflows/ids.ts';
import { holds } from '../../test/helpers/holds.ts';
import { until } from '../../test/helpers/until.ts';
import type { Deployment } from './deployment.ts';
import type { Tried } from './prepare.ts';

const WAGE = 284_735;
const RENT = 95_000;
const OWNER = 'emp-1042';

export async function registers({ client }: Tried): Promise<void> {
  const body = { email: 'ada@example.org', password: 'correct horse battery' };
  const { status } = await client.call('POST', '/api/v1/auth/register', { key: randomUUID(), body });
  holds('a person registers', status === 201);
}

/** @returns the payment's id */
export async function pays({ client, token, deployment }: Tried): Promise<string> {
  const send = async (path: string, body: object) => {
    const { status, body: told } = await client.call('POST', path, { token, key: randomUUID(), body });
    if (status !== 201 && status !== 200) throw new Error(`${path} gave ${status} ${JSON.stringify(told)}`);
    return told as Record<string, unknown>;
  };
  // Two wages of one owner would share a vault.
  const owner = `emp-${randomInt(1e6)}`;
  const obligations = [{ type: 'Rent', amount: RENT, category: 'FIXED' }];
  const split = await send('/api/v1/engine/paycheck/calculate', { employee_id: owner, gross_pay: WAGE, obligations });
  const [{ allocation_id }] = split.vaults as [{ allocation_id: string }];
  const allocation = { user_id: owner, vault_type: 'SAVINGS', amount: 100, label: 'rainy day' };
  holds(
    'a wage is split and an allocation made',
    (await send('/api/v1/allocations/allocate', allocation)).amount === 100,
  );
  const payee = {
    name: 'Larch Lettings',
    category: 'HOUSING',
    sort_code: '200000',
    account_number: String(randomInt(1e7, 1e8)),
  };
  const { provider_id } = await send('/api/v1/payments/providers', payee);
  const order = {
    vault_allocation_id: allocation_id,
    amount: RENT,
    currency: 'GBP',
    provider_id,
    reference: 'RENT NOV',
  };
  const began = performance.now();
  const { payment_id } = (await send('/api/v1/payments/execute', order)) as { payment_id: string };
  await until(async () => (await statusOf({ client, token }, payment_id)) === 'completed', 'the payment');
  holds(`a payment is executed and completed after ${(performance.now() - began).toFixed(0)} ms`, true);
  const described = () => askTemporal(deployment, 'workflow', 'describe', '--workflow-id', `payment/${payment_id}`);
  await until(async () => /COMPLETED/i.test(await described()), 'the end of its workflow');
  holds('its workflow ended in Temporal', true);
  return payment_id;
}

export async function statusOf({ client, token }: Pick<Tried, 'client' | 'token'>, paymentId: string) {
  const { body } = await client.call('GET', `/api/v1/payments/${paymentId}`, { token });
  return (body as { status?: string }).status;
}

export async function reads({ client, token }: Tried): Promise<void> {
  const form = new FormData();
  form.set('user_id', OWNER);
  form.set('file', new File([readFileSync('programs/demo/payslip.pdf')], 'payslip.pdf'));
  const asked = { token, key: randomUUID(), body: form, headers: { prefer: 'wait=30' } };
  const { body } = await client.once('POST', '/api/v1/legacy/payslip/upload', asked);
  holds('a payslip is read', (body as { status?: string }).status === 'parsed');
}

export async function queuesAreServed({ deployment }: Tried): Promise<void> {
  for (const queue of Object.values(TASK_QUEUES)) {
    const told = await askTemporal(deployment, 'task-queue', 'describe', '--task-queue', queue, '--output', 'json');
    const { pollers } = JSON.parse(told) as { pollers: { identity: string }[] | null };
    const workers = new Set((pollers ?? []).map(({ identity }) => identity));
    holds(`the queue ${queue} is served, by ${workers.size}`, workers.size > 0);
  }
}

// The environment of Temporal's container has the address and the certificate.
async function askTemporal(deployment: Deployment, ...command: string[]): Promise<string> {
  const [temporal] = await deployment.containers('temporal');
  return deployment.ask('exec', temporal!.Name.replace('/', ''), 'temporal', ...command, '--namespace', 'ringfence');
}

export async function uiAnswers({ uiUrl }: Tried): Promise<void> {
  const get = async (path: string) => {
    const { statusCode, headers, body } = await request(`${uiUrl}${path}`);
    return { statusCode, type: String(headers['content-type']), text: await body.text() };
  };
  const page = await get('/');
  holds('the Web UI shows a page', page.statusCode === 200 && page.type.includes('text/html'));
  const namespace = await get('/api/v1/namespaces/ringfence');
  holds('the Web UI reaches Temporal', namespace.statusCode === 200 && namespace.text.includes('REGISTERED'));
  const settings = JSON.parse((await get('/api/v1/settings')).text) as { DefaultNamespace: string };
  holds('the Web UI opens on our namespace', settings.DefaultNamespace === 'ringfence');
}
