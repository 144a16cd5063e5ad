import type { Principal } from '../../domain/auth.ts';
import { SCOPES } from '../../domain/auth.ts';
import { pence, type Pence } from '../../domain/money.ts';
import { movedBy, type Movement } from '../../activities/ledger.ts';
import { KEY_MACS } from '../../activities/auth/key-macs.ts';
import { evidenceOfOwner } from '../../activities/paycheck/income-macs.ts';
import { macColumns } from '../../activities/macs.ts';
import { insertKey } from '../../infra/db/queries/auth.ts';
import { textQuery } from './text-query.ts';
import { sql } from 'kysely';
import { query as built } from '../../infra/db/query.ts';
import { lockOne, MoneyQuery, type LockedOwner } from '../../infra/db/locked-owner.ts';
import { lockOwner, moved as movementsOf, type Moved } from '../../infra/db/queries/ledger.ts';
import type { Services } from '../../infra/services.ts';
import { TEST_FAMILY } from './database.ts';

export const anyKey: Principal = {
  kind: 'api_key',
  keyId: 'key_test',
  appId: 'app_test',
  lineage: 'key_test',
  environment: 'sandbox',
  scopes: SCOPES,
};

/** Payees of an application are paid only for a key of this application. */
export async function storeAnyKey({ db, keys }: Pick<Services, 'db' | 'keys'>): Promise<void> {
  const row = {
    ...{ key_id: 'key_test', app_id: 'app_test', lineage: 'key_test', secret_hash: '-', scopes: [], name: null },
    ...{ income_per_owner: null, income_per_month: null, per_minute: null, expires_at: null },
    ...({ environment: 'sandbox', created_at: new Date().toISOString() } as const),
  };
  await db.run(insertKey({ ...row, ...(await macColumns(keys, KEY_MACS, row)) }));
}

export const userOf = (userId: string): Principal => ({
  kind: 'user',
  userId,
  familyId: TEST_FAMILY,
  clientId: null,
  scopes: SCOPES,
});

const move = built('test.move', (one: Moved) => sql<{ balances: string[] }>`select ${movementsOf([one])} as balances`);

/** Transfers and owners that tests inserted. `expectSoundLedger` does not report that no request caused them. */
export const planted = new Set<string>();

/** Posts a ledger movement that no request caused. @returns the balance of the account after each leg. */
export async function postMovement(
  owner: LockedOwner,
  services: Pick<Services, 'newId'>,
  movement: Movement,
): Promise<{ transferId: string; balances: Pence[] }> {
  const moved = movedBy(owner, services, movement);
  const { balances } = await owner.one(new MoneyQuery(owner.id, move(moved)));
  planted.add(moved.transfer_id).add(owner.id);
  return { transferId: moved.transfer_id, balances: balances.map((balance) => pence(Number(balance))) };
}

/** Like `postMovement`, in a transaction of its own. */
export function moveMoney(services: Pick<Services, 'db' | 'newId'>, ownerId: string, movement: Movement) {
  return services.db.transaction(async (tx) => {
    const { owner } = await lockOne(tx, lockOwner(ownerId, movement.at));
    return postMovement(owner, services, movement);
  });
}

// `fund` uses a different pay day for each calculation.
let payDays = 0;

/** Gives an owner an allocation in pence. `caused` also stores a calculation, as `ledger verify` requires. */
export async function fund(
  services: Services,
  ownerId: string,
  amount: number,
  { caused = false } = {},
): Promise<{ allocationId: string; vaultId: string }> {
  return services.db.transaction(async (tx) => {
    const at = await services.clock.now(tx);
    const { owner } = await lockOne(tx, lockOwner(ownerId, at));
    const found = await tx.maybe(vaultByName(ownerId, 'FIXED', 'bills'));
    const [vaultId, allocationId] = [found?.vault_id ?? services.newId('vlt'), services.newId('alloc')];
    const subjectId = caused ? services.newId('calc') : 'calc_test';
    if (caused) await tx.run(insertCalculation(subjectId, ownerId, (payDays += 1), amount, at));
    await postMovement(owner, services, {
      kind: 'paycheck',
      subjectId,
      at,
      legs: [
        { account: 'employer', kind: 'allocation', amount: pence(-amount) },
        { account: 'vault', vaultId, kind: 'allocation', amount: pence(amount) },
      ],
      newVaults: found ? [] : [{ vaultId, vaultType: 'FIXED', label: 'bills' }],
      newAllocations: [{ allocationId, vaultId, source: 'paycheck', amount: pence(amount) }],
    });
    return { allocationId, vaultId };
  });
}

const balances = textQuery<{ kind: string; balance: number }>(
  'test.balances',
  'select kind, sum(balance)::bigint as balance from ledger_accounts where owner_id = $1 group by kind',
);

/** In pence, by kind of account. */
export async function balancesOf(services: Services, ownerId: string): Promise<Record<string, number>> {
  const rows = await services.db.many(balances(ownerId));
  return Object.fromEntries(rows.map(({ kind, balance }) => [kind, balance]));
}

export function evidenceOf(services: Services, ownerId: string): Promise<{ evidenced: number; spent: number }> {
  return services.db.transaction(async (tx) => {
    const { owner } = await lockOne(tx, lockOwner(ownerId, new Date()));
    return evidenceOfOwner(owner, services);
  });
}

const insertCalculation = textQuery(
  'test.insertCalculation',
  `insert into calculations (calculation_id, owner_id, pay_date, revision, gross_income, locked_for_bills, locked_buffer,
                             safe_to_spend, buffer_rate, obligations, calculated_at)
   values ($1, $2, '1990-01-01'::date + $3::int, 1, $4, $4, 0, 0, '0', '[]', $5)`,
);

const allFaults = textQuery<{ fault: string; subject: string; of_cause: boolean }>(
  'test.allFaults',
  `select fault, subject, false as of_cause from ledger_faults()
   union all select fault, subject, false from interest_faults()
   union all select 'accrual is not what its days earn', accrual_id, false from interest_checked('', null, null, null) where not sound
   union all select fault, subject, true from ledger_causes()`,
);

/** Ignores missing causes of `planted` ids and, with `clockGoesBack`, accruals that end after today. */
export async function expectSoundLedger(services: Services, { clockGoesBack = false } = {}): Promise<void> {
  const faults = await services.db.many(allFaults());
  const isExpected = ({ fault, of_cause, subject }: (typeof faults)[number]) =>
    of_cause && (planted.has(subject) || (clockGoesBack && fault === 'accrual ends after today'));
  expect(faults.filter((fault) => !isExpected(fault))).toEqual([]);
}

const vaultByName = textQuery<{ vault_id: string }>(
  'test.vaultByName',
  'select vault_id from vaults where owner_id = $1 and vault_type = $2 and label = $3',
);
