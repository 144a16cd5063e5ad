import { typeFaultsOf, type TypeFault } from '../helpers/compiled.ts';

const GIVEN = `
import { allocate } from './allocations.ts';
import { emailOf } from './auth/address.ts';
import { postMovement, type Movement } from './ledger.ts';
import { enqueue } from './outbox.ts';
import { resolvePayment } from './payments/commands.ts';
import { changePayment, insertAttempt, insertPayment, markPayment, type PaymentChange } from './payments/record.ts';
import { bindOwner } from './reach.ts';
import { openVaultOf, postAccruals, standingOf } from './yield/post.ts';
import type { Accrual } from '../domain/yield.ts';
import type { Pence } from '../domain/money.ts';
import type { Database } from '../infra/db/database.ts';
import { LockedOwner, lockOne, MoneyQuery, type Locked } from '../infra/db/locked-owner.ts';
import { lockOwner, allocationById, post, type Moved } from '../infra/db/queries/ledger.ts';
import type { LockedPayment, OpenPaymentRow } from '../infra/db/queries/payments.ts';
import type { StandingRow } from '../infra/db/queries/yield.ts';
import type { Tx } from '../infra/db/transaction.ts';
import type { Services } from '../infra/services.ts';
import type { AllocationRequest } from '../openapi/types.ts';
declare const db: Database, tx: Tx, services: Services, owner: LockedOwner, at: Date;
declare const payment: LockedPayment, unlockedPayment: OpenPaymentRow, change: PaymentChange;
declare const attempt: Parameters<typeof insertAttempt>[2], mark: Parameters<typeof markPayment>[2];
declare const ordered: Parameters<typeof insertPayment>[3], moved: Moved, movement: Movement, before: () => Pence;
declare const vault: Locked<StandingRow>, unlockedVault: StandingRow, accruals: readonly Accrual[];
declare const allocation: AllocationRequest;
const uses = [LockedOwner, lockOne, MoneyQuery];
`;

const NO_LOCK = /not assignable to parameter of type '(LockedOwner|LockedPayment|Locked<.*)'/;
const NO_TX = /Argument of type 'Database' is not assignable to parameter of type 'Tx'/;
const NO_DB = /Type 'Tx' is missing the following properties from type 'Database': transaction/;
const NOT_A_QUERY = /Argument of type '(MoneyQuery|OwnerLock)<.*' is not assignable to parameter of type 'Statement</;

/** By what is wrong: a call that must not compile, the compiler's words, and the call that compiles. */
const CALLS: Readonly<Record<string, readonly [refused: string, why: RegExp, allowed: string]>> = {
  'an unlocked payment changes': [
    'changePayment(unlockedPayment, services, change)',
    NO_LOCK,
    'changePayment(payment, services, change)',
  ],
  'an unlocked payment is retried': [
    'insertAttempt(unlockedPayment, services, attempt)',
    NO_LOCK,
    'insertAttempt(payment, services, attempt)',
  ],
  'an unlocked payment is marked': [
    'markPayment(unlockedPayment, services, mark)',
    NO_LOCK,
    'markPayment(payment, services, mark)',
  ],
  'a payment of an unlocked owner begins': [
    'insertPayment(tx, services, payment, ordered)',
    NO_LOCK,
    'insertPayment(owner, services, payment, ordered)',
  ],
  'a transaction without a lock moves money': [
    'postMovement(tx, services, movement, before)',
    NO_LOCK,
    'postMovement(owner, services, movement, before)',
  ],
  'money moves without a transaction': [
    'postMovement(db, services, movement, before)',
    NO_LOCK,
    'postMovement(owner, services, movement, before)',
  ],
  'the database runs a query about money': ['db.run(post(moved))', NOT_A_QUERY, 'db.run(allocationById("x"))'],
  'a transaction runs a query about money': ['tx.run(post(moved))', NOT_A_QUERY, 'owner.run(post(moved))'],
  'a transaction reads the result of a query about money': [
    'tx.one(new MoneyQuery("x", allocationById("x")))',
    NOT_A_QUERY,
    'owner.one(new MoneyQuery("x", allocationById("x")))',
  ],
  'a lock is a mere query': ['tx.one(lockOwner("x", at))', NOT_A_QUERY, 'lockOne(tx, lockOwner("x", at))'],
  'an owner is locked without a transaction': [
    'lockOne(db, lockOwner("x", at))',
    NO_TX,
    'lockOne(tx, lockOwner("x", at))',
  ],
  'a lock is made by hand': [
    'new LockedOwner("x", tx)',
    /Expected 3 arguments, but got 2/,
    'lockOne(tx, lockOwner("x", at))',
  ],
  'a lock is made by hand, with a symbol': [
    'new LockedOwner("x", tx, Symbol("made here"))',
    /Argument of type 'symbol' is not assignable to parameter of type/,
    'lockOne(tx, lockOwner("x", at))',
  ],
  'an object looks like a lock': [
    'postMovement({ id: "x", tx, run: owner.run, one: owner.one }, services, movement, before)',
    NO_LOCK,
    'postMovement(owner, services, movement, before)',
  ],
  'a copy of a lock names another owner': [
    'postMovement({ ...owner, id: "y" }, services, movement, before)',
    NO_LOCK,
    'postMovement(owner, services, movement, before)',
  ],
  'interest of an unlocked vault is posted': [
    'postAccruals(services, at, [{ vault: standingOf(unlockedVault), accruals }])',
    /Property 'owner' is missing in type 'StandingVault' but required in type .*owner: LockedOwner/,
    'postAccruals(services, at, [{ vault: openVaultOf(vault), accruals }])',
  ],
  'an unlocked vault is opened': ['openVaultOf(unlockedVault)', NO_LOCK, 'openVaultOf(vault)'],
  'an operation runs outside a transaction': [
    'allocate(db, services, allocation)',
    NO_TX,
    'allocate(tx, services, allocation)',
  ],
  'a message is queued outside a transaction': [
    'enqueue(db, services, "payment.start", "x", {})',
    NO_TX,
    'enqueue(tx, services, "payment.start", "x", {})',
  ],
  'an owner is bound outside a transaction': ['bindOwner(db, undefined)', NO_TX, 'bindOwner(tx, undefined)'],
  'a transaction is given to work that opens its own': [
    'resolvePayment({ ...services, db: tx }, { payment_id: "x", as: "failed", reason: "x", actor: "x" })',
    NO_DB,
    'resolvePayment(services, { payment_id: "x", as: "failed", reason: "x", actor: "x" })',
  ],
  'personal data is read inside a transaction': [
    'emailOf({ ...services, db: tx }, { userId: "x", purpose: "mail" })',
    NO_DB,
    'emailOf(services, { userId: "x", purpose: "mail" })',
  ],
  'a transaction opens another': [
    'tx.transaction(async () => 1)',
    /Property 'transaction' does not exist on type 'Tx'/,
    'db.transaction(async () => 1)',
  ],
  'the entity manager is used inside a transaction': [
    'tx.entities()',
    /Property 'entities' does not exist on type 'Tx'/,
    'db.entities()',
  ],
  'work waits for a commit without a transaction': [
    'db.afterCommit(() => undefined)',
    /Property 'afterCommit' does not exist on type 'Database'/,
    'tx.afterCommit(() => undefined)',
  ],
};

let faults: TypeFault[] = [];
const lines: string[] = [];
beforeAll(() => {
  for (const [refused, , allowed] of Object.values(CALLS)) lines.push(`void (${refused});`, `void (${allowed});`);
  faults = typeFaultsOf('activities/planted.ts', [...GIVEN.split('\n'), ...lines, 'void uses;'].join('\n'));
});

const faultsAt = (line: string) =>
  faults
    .filter((fault) => fault.line === GIVEN.split('\n').length + lines.indexOf(line) + 1)
    .map(({ message }) => message);

test.each(Object.entries(CALLS))('%s: this does not compile', (_, [refused, why, allowed]) => {
  expect(faultsAt(`void (${refused});`)).toEqual([expect.stringMatching(why)]);
  expect(faultsAt(`void (${allowed});`)).toEqual([]);
});

test('nothing else is wrong with the planted calls', () => {
  const refused = new Set(Object.values(CALLS).map(([call]) => `void (${call});`));
  const last = GIVEN.split('\n').length;
  expect(faults.filter(({ line }) => !refused.has(lines[line - last - 1] ?? ''))).toEqual([]);
});
