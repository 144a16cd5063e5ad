import { typeFaultsOf, type TypeFault } from '../helpers/compiled.ts';

const GIVEN = `
import { allocate } from './allocations.ts';
import { emailOf } from './auth/address.ts';
import { postMovement, type Movement } from './ledger.ts';
import { enqueue } from './outbox.ts';
import { resolvePayment } from './payments/commands.ts';
import { changePayment, insertAttempt, insertPayment, markPayment, type PaymentChange } from './payments/record.ts';
import { bindOwner } from './reach.ts';
import { postInterest } from './yield/post.ts';
import type { Handler } from '../api/http/handlers.ts';
import type { Pence } from '../domain/money.ts';
import type { Database } from '../infra/db/database.ts';
import { LockedOwner, lockOne, MoneyQuery, type Locked } from '../infra/db/locked-owner.ts';
import { lockOwner, allocationById, post, type Moved } from '../infra/db/queries/ledger.ts';
import type { LockedPayment, OpenPaymentRow } from '../infra/db/queries/payments.ts';
import type { InterestWanted, OpenVault } from '../infra/db/queries/yield.ts';
import type { Tx } from '../infra/db/transaction.ts';
import type { Services } from '../infra/services.ts';
import type { AllocationRequest } from '../openapi/types.ts';
declare const db: Database, tx: Tx, services: Services, owner: LockedOwner, at: Date;
declare const payment: LockedPayment, unlockedPayment: OpenPaymentRow, change: PaymentChange;
declare const attempt: Parameters<typeof insertAttempt>[2], mark: Parameters<typeof markPayment>[2];
declare const ordered: Parameters<typeof insertPayment>[3], moved: Moved, movement: Movement, before: () => Pence;
declare const vault: Locked<OpenVault>, unlockedVault: OpenVault, wanted: InterestWanted;
declare const allocation: AllocationRequest, handle: (handler: Handler<'listVaults'>) => void;
const listed = { user_id: 'usr_1', safe_to_spend: 1, buffer: 1, in_flight: 1 };
const uses = [LockedOwner, lockOne, MoneyQuery];
`;

const NO_LOCK = /not assignable to parameter of type '(LockedOwner|LockedPayment|Locked<.*)'/;
const NO_TX = /Argument of type 'Database' is not assignable to parameter of type 'Tx'/;
const NO_DB = /Type 'Tx' is missing the following properties from type 'Database': transaction/;
const NOT_A_QUERY = /Argument of type '(MoneyQuery|OwnerLock)<.*' is not assignable to parameter of type 'Statement</;

const notIn = (member: string, type: string) => new RegExp(`Property '${member}' does not exist on type '${type}'`);

/** By what is wrong: a call with «the part that must not compile|the part that compiles», and the compiler's words. */
const CALLS: readonly (readonly [wrong: string, call: string, why: RegExp])[] = [
  ['an unlocked payment changes', 'changePayment(«unlockedPayment|payment», services, change)', NO_LOCK],
  ['an unlocked payment is retried', 'insertAttempt(«unlockedPayment|payment», services, attempt)', NO_LOCK],
  ['an unlocked payment is marked', 'markPayment(«unlockedPayment|payment», services, mark)', NO_LOCK],
  ['a payment of an unlocked owner begins', 'insertPayment(«tx|owner», services, payment, ordered)', NO_LOCK],
  ['a transaction without a lock moves money', 'postMovement(«tx|owner», services, movement, before)', NO_LOCK],
  ['money moves without a transaction', 'postMovement(«db|owner», services, movement, before)', NO_LOCK],
  ['the database runs a query about money', 'db.run(«post(moved)|allocationById("x")»)', NOT_A_QUERY],
  ['a transaction runs a query about money', '«tx|owner».run(post(moved))', NOT_A_QUERY],
  ['a transaction reads a query about money', '«tx|owner».one(new MoneyQuery("x", allocationById("x")))', NOT_A_QUERY],
  ['a lock is a mere query', '«tx.one(|lockOne(tx, »lockOwner("x", at))', NOT_A_QUERY],
  ['an owner is locked without a transaction', 'lockOne(«db|tx», lockOwner("x", at))', NO_TX],
  [
    'a lock is made by hand',
    '«new LockedOwner("x", tx)|lockOne(tx, lockOwner("x", at))»',
    /Expected 3 arguments, but got 2/,
  ],
  [
    'a lock is made by hand, with a symbol',
    '«new LockedOwner("x", tx, Symbol("made here"))|lockOne(tx, lockOwner("x", at))»',
    /Argument of type 'symbol' is not assignable to parameter of type/,
  ],
  [
    'an object looks like a lock',
    'postMovement(«{ id: "x", tx, run: owner.run, one: owner.one }|owner», services, movement, before)',
    NO_LOCK,
  ],
  [
    'a copy of a lock names another owner',
    'postMovement(«{ ...owner, id: "y" }|owner», services, movement, before)',
    NO_LOCK,
  ],
  [
    'interest of an unlocked vault is posted',
    'postInterest([«unlockedVault|vault»], wanted)',
    /Property 'owner' is missing in type 'OpenVault' but required in type .*owner: LockedOwner/,
  ],
  ['an operation runs outside a transaction', 'allocate(«db|tx», services, allocation)', NO_TX],
  ['a message is queued outside a transaction', 'enqueue(«db|tx», services, "payment.start", "x", {})', NO_TX],
  ['an owner is bound outside a transaction', 'bindOwner(«db|tx», undefined)', NO_TX],
  [
    'a transaction is given to work that opens its own',
    'resolvePayment(«{ ...services, db: tx }|services», { payment_id: "x", as: "failed", reason: "x", actor: "x" })',
    NO_DB,
  ],
  [
    'personal data is read inside a transaction',
    'emailOf(«{ ...services, db: tx }|services», { userId: "x", purpose: "mail" })',
    NO_DB,
  ],
  ['a transaction opens another', '«tx|db».transaction(async () => 1)', notIn('transaction', 'Tx')],
  ['the entity manager is used inside a transaction', '«tx|db».entities()', notIn('entities', 'Tx')],
  [
    'work waits for a commit without a transaction',
    '«db|tx».afterCommit(() => undefined)',
    notIn('afterCommit', 'Database'),
  ],
  [
    'a response lacks a member of its body',
    'handle(async () => ({ status: 200, body: { ...listed«|, vaults: []» } }))',
    /Property 'vaults' is missing in type/,
  ],
  [
    'a member of a response has another type',
    'handle(async () => ({ status: 200, body: { ...listed, buffer: «"1"|1», vaults: [] } }))',
    /Types of property 'buffer' are incompatible[^]*Type 'string' is not assignable to type 'number'/,
  ],
];

const CHOICE = /«(.*)\|(.*)»/;
const given = GIVEN.split('\n');
const lines = CALLS.flatMap(([, call]) => [1, 2].map((choice) => `void (${call.replace(CHOICE, `$${choice}`)});`));
let faults: TypeFault[] = [];
beforeAll(() => {
  faults = typeFaultsOf('activities/planted.ts', [...given, ...lines, 'void uses;'].join('\n'));
});

test.each(CALLS.map(([wrong, , why], index) => [wrong, why, index] as const))(
  '%s: this does not compile',
  (_wrong, why, index) => {
    const [refused, allowed] = [1, 2].map((place) =>
      faults.filter(({ line }) => line === given.length + 2 * index + place).map(({ message }) => message),
    );
    expect(refused).toEqual([expect.stringMatching(why)]);
    expect(allowed).toEqual([]);
  },
);

test('nothing else is wrong with the planted calls', () => {
  expect(faults).toHaveLength(CALLS.length);
});
