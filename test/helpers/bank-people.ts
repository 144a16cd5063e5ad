import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { keepAnswer } from '../../activities/bank/answers.ts';
import { finishJourney, type FinishedJourney } from '../../activities/bank/finish.ts';
import { beginJourney } from '../../activities/bank/journeys.ts';
import { accountsOfConnection } from '../../activities/bank/read.ts';
import { openBanks } from '../../infra/bank/banks.ts';
import type { Banks } from '../../infra/bank/interface.ts';
import { connectionById } from '../../infra/db/queries/bank.ts';
import type { Services } from '../../infra/services.ts';
import { bankClient, decideAtBank } from './bank-customer.ts';
import { syncsOf } from './bank-books.ts';
import { connectionsOf } from './connections.ts';
import { sqlOf } from './oauth.ts';
import { registerPerson } from './proved.ts';
import { newBankFolder, startSandboxBank, type SandboxBankProcess } from './sandbox-bank.ts';

export type BankId = 'sandbox' | 'sandbox-truelayer';

export interface BooksOf extends Record<string, unknown> {
  transaction_id: string;
  account_id: string;
  amount: number;
  kind: string;
}

export interface Call {
  api: string;
  path: string;
  status: number;
}

/** The process of the sandbox bank, with both ways to its accounts. They work from `beforeAll` on. */
export function withSandboxBanks() {
  let dataDir: string;
  const banks = {} as Banks;
  let bank: SandboxBankProcess;
  let client: Awaited<ReturnType<typeof bankClient>>;
  beforeAll(async () => {
    dataDir = await newBankFolder();
    bank = await startSandboxBank(dataDir);
    client = await bankClient(dataDir, bank.config.url);
    Object.assign(banks, await openBanks({ ...bank.config, unattendedPerDay: 1_000 }));
  });
  afterAll(async () => {
    await Promise.all([client.close(), banks.close()]);
    await bank.stop();
  });
  return {
    banks,
    /** Runs the work in a process that kills itself. Returns the signal that ended it. */
    async killed(work: 'sync' | 'payment', { config }: Pick<Services, 'config'>, id: string, moment: string) {
      const given = [config.database.url, dataDir, String(bank.port), id, moment];
      const program = join(import.meta.dirname, `killed-${work}.ts`);
      const child = spawn(process.execPath, [program, ...given], { stdio: ['ignore', 'inherit', 'inherit'] });
      const [, signal] = (await once(child, 'exit')) as [number | null, string | null];
      return signal;
    },
    movements: (paymentId: string) => bank.movements(paymentId),
    ca: () => readFileSync(join(dataDir, 'pki', 'ca.crt'), 'utf8'),
    sandbox: (method: string, path: string, body?: object) => client.sandbox(method, path, body),
  };
}

const BROWSER = 'browser-of-the-person';
const NO_LIMITS = { per_payment: '', per_month: '', valid_until: '' };

/** People who go to the bank and back by all steps of the journey, and whose syncs run step by step. */
export function peopleOf(services: Services, at: ReturnType<typeof withSandboxBanks>) {
  const bank = connectionsOf(services);
  const syncs = syncsOf(services);
  const sql = sqlOf(services);
  return async () => {
    const { user_id, principal } = await registerPerson(services);
    const session = { userId: user_id, sessionHash: '', signedInAt: new Date() };
    const rowOf = (connection_id: string) => services.db.one(connectionById(connection_id));
    /** `customer`: whose accounts the person chooses at the bank. */
    async function authorise(connectionId: string, customer = user_id, limits = NO_LIMITS): Promise<FinishedJourney> {
      const went = await beginJourney(services, { connectionId, session, browser: BROWSER, limits });
      if (went.kind !== 'sent') throw new Error(`the journey is ${went.kind}`);
      const back = await decideAtBank(new URL(went.sendTo), { customer, ca: at.ca() });
      const fields = back instanceof URL ? back.hash.slice(1) || back.search : await back.text();
      const answer = Object.fromEntries(new URLSearchParams(fields));
      const { handle } = await keepAnswer(services, { answer });
      return finishJourney(services, { handle, session, browser: BROWSER });
    }
    const begin = async (bank_id: BankId) =>
      (await bank.connectBank({ user_id, bank_id, kind: 'accounts', principal })).connection_id;
    return {
      user_id,
      principal,
      bank,
      begin,
      authorise,
      async connect(bank_id: BankId) {
        const connection_id = await begin(bank_id);
        await authorise(connection_id);
        return connection_id;
      },
      async reauthorise(connection_id: string, customer?: string) {
        await bank.reauthoriseConnection({ connection_id, principal });
        return authorise(connection_id, customer);
      },
      /** Joins a sync that was requested before. Returns its outcome, reason, new rows and refused rows. */
      async sync(connection_id: string) {
        await syncs.sync(connection_id);
        const { sync_outcome, sync_reason, sync_rows_new, sync_rows_refused } = await rowOf(connection_id);
        return [sync_outcome, sync_reason, sync_rows_new, sync_rows_refused];
      },
      /** The look that a sync asked for. */
      async lookAsAsked(connection_id: string) {
        const { consent_id } = await rowOf(connection_id);
        const [asked] = await sql.many(`select 1 from outbox_messages where workflow_id = $1 and kind = 'bank.look'`, [
          consent_id,
        ]);
        if (asked) await syncs.lookAtConsent({ consent_id: consent_id! });
      },
      async endConsents() {
        const asked = await sql.many<{ consent_id: string }>(
          'select consent_id from bank_consents where owner_id = $1 and end_requested_at is not null',
          [user_id],
        );
        for (const consent of asked) await bank.endConsent(consent);
      },
      credit: (amount: number, more: object = {}) =>
        at.sandbox('POST', 'credits', { owner_id: user_id, amount, payer: 'ACME', reference: 'PAY', ...more }),
      switchOn: (switches: object) => at.sandbox('PUT', 'switches', { owner_id: user_id, switches }),
      accountsAt: async () => (await at.sandbox('GET', `accounts?owner_id=${user_id}`)).items,
      consentsAt: async () => (await at.sandbox('GET', `consents?owner_id=${user_id}`)).items,
      callsAt: async (): Promise<Call[]> => (await at.sandbox('GET', `calls?owner_id=${user_id}`)).items,
      status: async (connection_id: string) => (await rowOf(connection_id)).status,
      accounts: (connection_id: string) => accountsOfConnection(services, { connection_id }),
      rows: () =>
        sql.many<BooksOf>(
          `select transaction_id, account_id, amount::int, kind from bank_transactions t
             join bank_accounts a using (account_id) where t.owner_id = $1 order by t.seq`,
          [user_id],
        ),
    };
  };
}
