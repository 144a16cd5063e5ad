import { readFileSync } from 'node:fs';
import { Agent, request } from 'undici';
import { paymentActivities } from '../../../activities/payments/index.ts';
import { callerOf } from '../../../domain/auth.ts';
import { openServices } from '../../../infra/services.ts';
import { accountsOf } from '../../../test/helpers/activities.ts';
import { banksWith } from '../../../test/helpers/banks.ts';
import { payBill } from '../../../test/helpers/credential.ts';
import { storeAnyKey } from '../../../test/helpers/money.ts';
import { startFront } from '../../../test/helpers/front.ts';
import { playedBank } from '../../../test/helpers/played-bank.ts';
import { freePorts } from '../../../test/helpers/ports.ts';
import { textQuery } from '../../../test/helpers/text-query.ts';
import { limitMemory } from '../memory-limit.ts';
import { seedKey, seedOwners, seedTokens } from '../seed.ts';
import type { BenchStack } from '../stack.ts';
import type { Address, RawRequest } from './connections.ts';

/** Each person calls from an address of their own. */
const HONEST = { phone: '127.0.1.1', visitor: '127.0.1.2', household: '127.0.1.3', other: '127.0.1.4' } as const;
export const ATTACKER = '127.0.2.1';

const LONG_DEBT = {
  debts: [{ name: 'Loan', balance: 5_000_000, rate: 900, minimum: 1_000 }],
  monthly_budget: 60_000,
};
const insertDebtPayments = textQuery(
  'bench.debtPayments',
  `insert into debt_payments (payment_id, plan_id, debt, amount, paid_on, created_at)
   select 'dpay_bench-' || number, $1, 'Loan', 100, current_date, now() from generate_series(1, 2500) number`,
);

export interface Stage {
  /** Starts the API again after the kernel has killed it. */
  restart(): Promise<void>;
  mostMb(): number;
  address: Address;
  /** A valid key of the attacker's application. */
  key: string;
  /** The access tokens of the attacker and of honest persons. */
  tokens: Readonly<Record<'attacker' | keyof typeof HONEST, string>>;
  ids: Readonly<Record<'attacker' | keyof typeof HONEST, string>>;
  honest: typeof HONEST;
  credentialId: string;
  /** A debt plan with 2,500 recorded payments. */
  planId: string;
  call(token: string, given: RawRequest): RawRequest;
  isAlive(): boolean;
  stop(): Promise<void>;
}

export interface StageOptions {
  /** The API's limit of memory. */
  memoryMb: number;
  /** Whether nginx with our configuration is in front of the API. */
  front: boolean;
}

/** Starts the API under a memory limit, with a worker and everything that the attacks need. */
export async function prepareStage(stack: BenchStack, { memoryMb, front }: StageOptions): Promise<Stage> {
  const { config } = stack;
  const services = await openServices({ ...config, logLevel: 'silent' }, 'bench');
  const [owner] = await seedOwners(services, 1);
  const bank = playedBank();
  const played = { ...services, config: { ...config, environment: 'sandbox' as const }, banks: banksWith(bank) };
  await paymentActivities(played).ensureSandboxPayees();
  await storeAnyKey(services);
  await payBill(played, bank, { owner: owner!.ownerId });
  const key = await seedKey(services);
  const people = ['attacker', 'phone', 'visitor', 'household', 'other'] as const;
  const given = await seedTokens(services, people.length);
  const principals = await Promise.all(given.map((token) => accountsOf(services).authenticate({ token })));
  const tokens = named(people, given);
  const ids = named(people, principals.map(callerOf));
  const [metricsPort, proxiedPort] = await freePorts(2);
  const ports = { METRICS_PORT_API: String(metricsPort), RINGFENCE_PORT_PROXIED: String(proxiedPort) };
  let memory = limitMemory(memoryMb);
  let [api] = await Promise.all([stack.start('api', ports, memory), stack.start('worker'), stack.start('bank')]);
  const { publicUrl, tls } = config.api;
  const nginx = front
    ? await startFront({ apiPort: proxiedPort!, tls, vaultClientCa: config.api.vaultClientCa })
    : undefined;
  const port = nginx?.port ?? Number(new URL(publicUrl).port);
  const address = { host: '127.0.0.1', port, ca: readFileSync(tls.ca) };
  const call = (token: string, { headers, ...given }: RawRequest): RawRequest => ({
    ...given,
    headers: {
      authorization: `Bearer ${token}`,
      ...(given.method === 'POST' && { 'content-type': 'application/json' }),
      ...headers,
    },
  });
  const send = senderTo(publicUrl, { ca: address.ca, key });
  const user_id = owner!.ownerId;
  const { credential_id: credentialId } = await send('/api/v1/credential/generate', { user_id });
  const { plan_id: planId } = await send('/api/v1/engine/debt/plan', { user_id, ...LONG_DEBT });
  await services.db.run(insertDebtPayments(planId!));
  await services.close();
  return {
    ...{ address, key, credentialId: credentialId!, planId: planId!, call },
    mostMb: () => memory.mostMb(),
    async restart() {
      memory = limitMemory(memoryMb);
      api = await stack.start('api', ports, memory);
    },
    ...{ tokens, ids, honest: HONEST },
    isAlive: () => api.pid !== undefined && isRunning(api.pid),
    stop: async () => nginx?.stop(),
  };
}

function named<Name extends string>(names: readonly Name[], values: readonly string[]) {
  return Object.fromEntries(names.map((name, place) => [name, values[place]!])) as Record<Name, string>;
}

/** Sends JSON with the key. @returns the answer's body */
function senderTo(url: string, { ca, key }: { ca: Buffer; key: string }) {
  const dispatcher = new Agent({ connect: { ca } });
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  return async (path: string, given: object): Promise<Readonly<Record<string, string>>> => {
    const sent = { method: 'POST' as const, dispatcher, headers, body: JSON.stringify(given) };
    const { statusCode, body } = await request(`${url}${path}`, sent);
    const text = await body.text();
    if (statusCode !== 201) throw new Error(`POST ${path}: ${statusCode} ${text}`);
    return JSON.parse(text) as Record<string, string>;
  };
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
