import { callerOf, covers, type Principal } from '../../domain/auth.ts';
import { isUsual, asPaid, ownCredits, recognise, type Credit, type Known } from '../../domain/bank/wages.ts';
import { addressOfBankPage } from '../../domain/destinations.ts';
import { DomainError } from '../../domain/errors.ts';
import * as queries from '../../infra/db/queries/bank-wages.ts';
import type { NewWage, SealedCredit, WageRow } from '../../infra/db/queries/bank-wages.ts';
import type { Tx } from '../../infra/db/transaction.ts';
import type { Services } from '../../infra/services.ts';
import type { Wage } from '../../openapi/types.ts';
import { audit } from '../audit.ts';
import { holdSignIn } from '../auth/proof.ts';
import type { Session } from '../auth/sessions.ts';
import { startPaydays } from '../payday/start.ts';
import { isOwnSignIn } from './renew.ts';
import { wageView } from './wages.ts';
import { knownOf } from './wage-rows.ts';
import { readCredits, sealPayerName, sealWagePayer } from './wage-texts.ts';

type Needs = Pick<Services, 'clock' | 'config' | 'newId' | 'outbox' | 'tracing'>;

interface PreparedWage {
  row: SealedCredit;
  payer: string | null;
  /** Of the account. */
  secret: string;
  nameSealed: string | null;
}

/** Before the transaction, because the key service may be slow. @throws DomainError `unknown-transaction`, `not-a-credit`. */
export async function prepareWage(
  services: Pick<Services, 'db' | 'keys'>,
  { transaction_id }: { transaction_id: string },
): Promise<PreparedWage> {
  const row = await services.db.maybe(queries.sealedTransaction(transaction_id));
  if (!row) throw unknownTransaction();
  if (row.amount <= 0) throw new DomainError('not-a-credit', 'This transaction took money out of the account.');
  const { payers, secrets } = await readCredits(services, [row], []);
  const payer = payers.get(transaction_id)!;
  const { owner_id, payer_hash } = row;
  const isNamed = payer !== null && payer_hash !== null;
  const nameSealed = isNamed ? await sealPayerName(services, owner_id, payer_hash, payer) : null;
  return { row, payer, secret: secrets.get(row.account_id)!, nameSealed };
}

/** @throws DomainError `insufficient-scope`, `own-sign-in-required`, `credit-from-own-account`, `wage-reversed`. */
export async function confirmWage(
  tx: Tx,
  services: Needs,
  { principal, prepared }: { principal: Principal; prepared: PreparedWage },
): Promise<Confirmed> {
  const scope = 'write:paycheck';
  if (!covers(principal.scopes, scope)) {
    throw new DomainError(
      'insufficient-scope',
      `To confirm a wage needs the scope ${scope} too, which the access token or API key does not have.`,
      { scope },
    );
  }
  await holdSignIn(tx, principal);
  return nameWage(tx, services, prepared, { actor: callerOf(principal), isOwnSignIn: isOwnSignIn(principal) });
}

/** The person confirms it on our page. */
export async function confirmOwnWage(
  services: Needs & Pick<Services, 'db' | 'keys'>,
  { transaction_id, session }: { transaction_id: string; session: Session },
): Promise<Confirmed | 'not-yours'> {
  const row = await services.db.maybe(queries.sealedTransaction(transaction_id));
  if (row?.owner_id !== session.userId) return 'not-yours';
  const prepared = await prepareWage(services, { transaction_id });
  const by = { actor: session.userId, isOwnSignIn: true };
  return services.db.transaction((tx) => nameWage(tx, services, prepared, by));
}

export interface Confirmed {
  wage: Wage;
  /** Whether the person had not named it before. */
  isNew: boolean;
}

interface By {
  actor: string;
  isOwnSignIn: boolean;
}

async function nameWage(tx: Tx, services: Needs, prepared: PreparedWage, by: By): Promise<Confirmed> {
  const { owner_id, transaction_id } = prepared.row;
  await tx.run(queries.lockWagesOf(owner_id));
  const known = await knownOf(tx, owner_id, new Set());
  const credit = known.credits.find(({ transactionId }) => transactionId === transaction_id);
  if (!credit) throw unknownTransaction();
  const before = await wageOf(tx, known, credit);
  if (before?.status === 'confirmed' && before.matched_by === 'person') {
    const own_sign_in = before.own_sign_in || by.isOwnSignIn;
    if (own_sign_in !== before.own_sign_in) await tx.run(queries.wageNamed(before.wage_id, { ...before, own_sign_in }));
    return { wage: wageView(before, prepared.payer), isNew: false };
  }
  if (ownCredits(known)(asPaid(credit))) {
    throw new DomainError('credit-from-own-account', 'This money may come from an account of the same person.');
  }
  if (before?.status === 'reversed') throw reversed();
  if (!by.isOwnSignIn) await requireUsual(tx, services, owner_id, credit);
  const wage = await store(tx, services, { prepared, credit, before, by });
  requireNotReversed(known, credit, wage.wage_id);
  // A wage that was confirmed before has its payday, or was confirmed without a standing split.
  if (before?.status !== 'confirmed') {
    const wageIds = [wage.wage_id];
    await startPaydays(tx, services, { ownerId: owner_id, wageIds, at: await services.clock.now(tx) });
  }
  return { wage: wageView(wage, prepared.payer), isNew: true };
}

/** The wage that the credit is so far, perhaps by an earlier report of the bank. */
async function wageOf(tx: Tx, known: Known, { transactionId }: Credit): Promise<WageRow | undefined> {
  const again = recognise(known).relinked.find(({ credit }) => credit.transactionId === transactionId);
  const wageId = known.wages.find((wage) => wage.transactionId === transactionId)?.wageId ?? again?.wageId;
  return wageId === undefined ? undefined : tx.one(queries.wageById(wageId));
}

/** An application may repeat what the person has said, and say nothing new. */
async function requireUsual(
  tx: Tx,
  { config }: Pick<Services, 'config'>,
  ownerId: string,
  { payerHash, amount, transactionId }: Credit,
): Promise<void> {
  const payers = await tx.many(queries.payersOf(ownerId));
  const isKnown = payerHash !== null && payers.some(({ payer_hash }) => payer_hash === payerHash);
  const last = isKnown ? await tx.maybe(queries.lastConfirmed(ownerId, payerHash)) : undefined;
  if (last && isUsual(amount, last.amount)) return;
  const confirm_url = config.api.publicUrl + addressOfBankPage({ bankPage: 'wage', transactionId });
  throw new DomainError(
    'own-sign-in-required',
    'Only the person can name a new payer, or an unusual amount: on the page in confirm_url, or with an access token from POST /api/v1/auth/login.',
    { confirm_url },
  );
}

interface Storing {
  prepared: PreparedWage;
  credit: Credit;
  before: WageRow | undefined;
  by: By;
}

async function store(tx: Tx, services: Needs, { prepared, credit, before, by }: Storing): Promise<WageRow> {
  const { owner_id, account_id, transaction_id, amount, booked_on, counterparty_hash } = prepared.row;
  const { payerHash: payer_hash } = credit;
  const at = await services.clock.now(tx);
  const wage_id = before?.wage_id ?? services.newId('wage');
  const payer_sealed = await sealWagePayer(prepared.secret, wage_id, prepared.payer);
  const confirmed_at = before?.confirmed_at ?? at.toISOString();
  if (before && before.transaction_id !== transaction_id) {
    await tx.run(queries.relinkWages([{ wage_id, account_id, transaction_id, payer_hash, payer_sealed }]));
  }
  if (!before) {
    const of = { wage_id, owner_id, account_id, transaction_id, amount, received_on: booked_on };
    const parties = { payer_hash, counterparty_hash, payer_sealed };
    const named = { matched_by: 'person', status: 'confirmed', confirmed_at, created_at: at.toISOString() } as const;
    await tx.run(queries.insertWages([{ ...of, ...parties, ...named } satisfies NewWage]));
  }
  const own_sign_in = before?.own_sign_in === true || by.isOwnSignIn;
  const parties = { payer_hash: before?.payer_hash ?? payer_hash, payer_sealed };
  await tx.run(queries.wageNamed(wage_id, { own_sign_in, confirmed_at, ...parties }));
  if (payer_hash !== null) {
    const payer = { owner_id, payer_hash, name_sealed: prepared.nameSealed, named_on: booked_on };
    await tx.run(queries.namePayer(payer));
  }
  const data = { matched_by: 'person' };
  await audit(tx, services, { subject: wage_id, kind: 'wage.confirmed', actor: by.actor, data, at });
  return tx.one(queries.wageById(wage_id));
}

/** The bank may have reported already that the money went back. */
function requireNotReversed(known: Known, credit: Credit, wageId: string): void {
  const others = known.wages.filter((wage) => wage.wageId !== wageId && wage.transactionId !== credit.transactionId);
  const { transactionId } = credit;
  const named = { matchedBy: 'person', status: 'confirmed', isOrphan: false, transactionId } as const;
  const wages = [...others, { ...asPaid(credit), ...named, wageId, seq: Number.MAX_SAFE_INTEGER }];
  if (recognise({ ...known, wages }).reversed.includes(wageId)) throw reversed();
}

function reversed(): DomainError {
  return new DomainError('wage-reversed', 'The money went back to its payer, so it is no wage.');
}

function unknownTransaction(): DomainError {
  return new DomainError('unknown-transaction', 'There is no transaction with this id.');
}
