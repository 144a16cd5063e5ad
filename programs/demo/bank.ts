import { inPounds } from '../../domain/money.ts';
import type { Output } from '../../client/src/index.ts';
import type { Person } from './account.ts';
import { WAGE } from './documents.ts';
import { must, mustBe, type Stage } from './stage.ts';

type Connection = Output<'getConnection'>;
type Backing = Output<'getBacking'>;
type Transaction = Output<'listTransactions'>['items'][number];

const WAIT_S = 20;
const LOOKS = 5;
const LATEST = 3;
/** What the sandbox bank gives each customer in pounds, in pence. */
const AT_FIRST = 150_000;
const PAYER = 'Example Street Bakery Ltd';

/** A credit that the service has read, and the connection that reads it. */
export interface ReadWage {
  connection_id: string;
  transaction_id: string;
}

export async function readBank(stage: Stage, person: Person): Promise<ReadWage> {
  const { api, client, teller } = stage;
  teller.step(
    'Connect a bank',
    'The person signs in on a page of the service, continues to the sandbox bank, and approves there. The demo plays the browser.',
  );
  const body = { user_id: person.userId, bank_id: 'sandbox', kind: 'accounts' } as const;
  const connection = await client.connectBank({ body });
  teller.answered(201, `the connection ${connection.connection_id}, ${connection.status}`);
  await api.approve({ ...person, customer: person.userId, authoriseUrl: connection.authorise_url! });
  const first = await readAfter(stage, connection, undefined);
  const accounts = first.accounts ?? [];
  mustBe('The status of the connection', first.status, 'authorised');
  teller.answered(200, `${first.status}; the service has read ${accounts.length} accounts:`);
  teller.table(
    accounts
      .filter(({ currency }) => currency === 'GBP')
      .map(({ name, balance, account_number_masked }) => ({
        what: `  ${name}`,
        amount: balance ?? 0,
        remark: account_number_masked ?? '',
      })),
  );

  teller.step(
    'Read a wage at the bank',
    'A credit arrives at the sandbox bank. A sync reads the balances, and each booked transaction once.',
  );
  const items = await receiveWage(stage, person, connection);
  const wages = items.filter(({ counterparty, amount }) => counterparty === PAYER && amount === WAGE);
  mustBe('The number of wages read', wages.length, 1);
  await compare(stage, person);
  return { connection_id: connection.connection_id, transaction_id: wages[0]!.transaction_id };
}

/** The wage arrives at the bank, and the accounts are read again. @returns the latest transactions */
export async function receiveWage(
  stage: Stage,
  { userId }: Person,
  connection: Pick<Connection, 'connection_id'>,
): Promise<Transaction[]> {
  await stage.api.credit({ owner_id: userId, amount: WAGE, payer: PAYER, reference: 'SALARY' });
  return readAgain(stage, connection);
}

/** Reads the accounts again. @returns the latest transactions */
export async function readAgain(stage: Stage, connection: Pick<Connection, 'connection_id'>): Promise<Transaction[]> {
  const { client, quiet, teller } = stage;
  const path = { connection_id: connection.connection_id };
  const before = await quiet.getConnection({ path });
  await client.syncConnection({ path });
  teller.answered(202, 'the sync runs as a workflow');
  const { last_sync } = await readAfter(stage, connection, before.last_sync);
  mustBe('The outcome of the sync', last_sync?.outcome ?? 'none', 'complete');
  const { items } = await client.listTransactions({ query: { limit: LATEST } });
  teller.answered(200, 'the latest transactions of all accounts:');
  teller.table(
    items.map(({ booked_on, counterparty, amount, reference }) => ({
      what: `  ${booked_on} ${counterparty ?? ''}`,
      amount,
      remark: reference ?? '',
    })),
  );
  return items;
}

async function compare(stage: Stage, person: Person): Promise<void> {
  stage.teller.step(
    'Ask whether the money is there',
    'The vaults are figures of this service. Do the accounts at the bank hold as much? Credit lines, cards and euros do not count.',
  );
  const { bank_balance, covered, shortfall } = await readBacking(stage, person);
  mustBe('The money at the bank', bank_balance, AT_FIRST + WAGE);
  must(covered === (shortfall === 0), 'It should be covered exactly if nothing is missing.');
}

/** Compares the ring-fenced money with the accounts. */
export async function readBacking({ client, quiet, teller }: Stage, { userId }: Person): Promise<Backing> {
  const backing = await client.getBacking({ path: { user_id: userId } });
  const { ring_fenced, in_flight, bank_balance, shortfall, covered } = backing;
  teller.answered(200, covered ? 'covered' : `${inPounds(shortfall)} is missing`);
  teller.table([
    { what: 'In vaults and buffer', amount: ring_fenced },
    { what: 'On its way', amount: in_flight },
    { what: 'At the bank', amount: bank_balance, total: true },
  ]);
  const { vaults, buffer } = await quiet.listVaults({ path: { user_id: userId } });
  mustBe(
    'The ring-fenced money',
    ring_fenced,
    vaults.reduce((sum, { balance }) => sum + balance, buffer),
  );
  return backing;
}

/** Waits for a sync that is newer than `before`. */
async function readAfter(
  { client, quiet }: Stage,
  { connection_id }: Pick<Connection, 'connection_id'>,
  before: Connection['last_sync'],
): Promise<Connection> {
  for (let look = 0; look < LOOKS; look += 1) {
    const asking = look === 0 ? client : quiet;
    const found = await asking.getConnection({ path: { connection_id } }, { wait: WAIT_S });
    if (found.last_sync && found.last_sync.finished_at !== before?.finished_at) return found;
  }
  must(false, 'The service should have read the accounts by now.');
}
