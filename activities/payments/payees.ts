import { callerOf, covers, type Principal } from '../../domain/auth.ts';
import { DomainError } from '../../domain/errors.ts';
import type { VouchedBy } from '../../domain/payments.ts';
import { SANDBOX_PAYEES } from '../../domain/sandbox-payees.ts';
import { digitsForm } from '../../domain/vault/forms.ts';
import { maskAccountNumber, maskSortCode } from '../../domain/vault/masks.ts';
import type { PiiTypes } from '../../domain/vault/types.ts';
import * as payees from '../../infra/db/queries/payees.ts';
import type { MacedPayee } from '../../infra/db/queries/macs.ts';
import type { PayeeRow, ShownPayee } from '../../infra/db/queries/payees.ts';
import type { Queries } from '../../infra/db/connection.ts';
import type { Tx } from '../../infra/db/transaction.ts';
import type { Services } from '../../infra/services.ts';
import { holdSignIn, requireProvedAddress } from '../auth/proof.ts';
import { accountNumberHash } from '../bank/identities.ts';
import { countStored } from '../day-limits.ts';
import { macColumns } from '../macs.ts';
import { pagesOf, type Page } from '../page.ts';
import { retrievePii, sealPii } from '../vault/own.ts';
import { keepSealed, type SealedRecord } from '../vault/store.ts';
import type { PayeeRequest, Payee } from '../../openapi/types.ts';
import { PAYEE_MACS, requireGenuine } from './payee-macs.ts';

interface PayeeAccount {
  name: string;
  sortCode: string;
  accountNumber: string;
}

export interface SealedPayee {
  record: SealedRecord;
  account_fingerprint: string;
}

type NewPayee = PayeeRequest & { principal: Principal };

export function payeeActivities(services: Services) {
  const { db } = services;

  return {
    preparePayee({ principal, name, sort_code, account_number }: NewPayee): Promise<SealedPayee> {
      const account = { name, sortCode: digitsForm(sort_code), accountNumber: account_number };
      return sealPayee(services, account, { holder: holderOf(principal), actor: callerOf(principal) });
    },

    /** The caller's own payees and the sandbox's shared payees, newest first. */
    async listProviders({
      principal,
      limit,
      cursor,
    }: {
      principal: Principal;
      limit: number;
      cursor?: string;
    }): Promise<Page<Payee>> {
      const holder = holderOf(principal);
      const pages = pagesOf(services, { operation: 'listProviders', filter: { holder } });
      const rows = await db.many(payees.payeesOf({ holder, before: await pages.after(cursor), most: limit + 1 }));
      const { items, next_cursor } = await pages.page(rows, limit, (row) => row);
      await countOfPerson(db, services, principal, { kind: 'payee_reads', count: items.length });
      return { items: await payeeViews(services, items, callerOf(principal)), next_cursor };
    },

    async ensureSandboxPayees(): Promise<void> {
      if (services.config.environment !== 'sandbox') return;
      for (const payee of SANDBOX_PAYEES) {
        if (await db.maybe(payees.payeeById(payee.providerId))) continue;
        const { providerId: provider_id, category } = payee;
        const row = { provider_id, held_by: null, category, vouched_by: 'sandbox' } as const;
        const sealed = await sealPayee(services, payee, { holder: provider_id, actor: 'service' });
        await db.transaction((tx) => keep(tx, services, sealed, row));
      }
    },
  };
}

export async function addProvider(
  tx: Tx,
  services: Pick<Services, 'clock' | 'config' | 'keys' | 'newId'>,
  { principal, name, category, sort_code, account_number }: NewPayee,
  sealed: SealedPayee,
): Promise<Payee> {
  await holdSignIn(tx, principal);
  if (principal.kind === 'user') await requireProvedAddress(tx, services, principal.userId);
  const holder = holderOf(principal);
  const provider_id = services.newId('prov');
  await countOfPerson(tx, services, principal, { kind: 'payees' });
  const payee = { provider_id, held_by: holder, category, vouched_by: voucherOf(principal) };
  await keep(tx, services, sealed, payee);
  return payeeView(await tx.one(payees.payeeById(provider_id)), {
    account_holder_name: name,
    sort_code,
    account_number,
  });
}

/** An application has the payees of many people, and its key's limit a minute. */
export async function countOfPerson(
  db: Queries,
  services: Pick<Services, 'clock' | 'config'>,
  principal: Principal,
  stored: { kind: 'payees' | 'payee_reads'; count?: number },
): Promise<void> {
  if (principal.kind !== 'user' || stored.count === 0) return;
  await countStored(db, services, {
    by: principal,
    ownerId: principal.userId,
    ...stored,
    at: await services.clock.now(db),
  });
}

async function keep(
  tx: Tx,
  services: Pick<Services, 'clock' | 'keys'>,
  { record, account_fingerprint }: SealedPayee,
  payee: Pick<PayeeRow, 'provider_id' | 'held_by' | 'category' | 'vouched_by'>,
): Promise<void> {
  const created_at = (await services.clock.now(tx)).toISOString();
  const { vault_ref: bank_ref } = await keepSealed(tx, record);
  const row = { ...payee, bank_ref, account_fingerprint, own_account_of: null };
  await tx.run(payees.insertPayee({ ...row, created_at, ...(await macColumns(services.keys, PAYEE_MACS, row)) }));
}

/** `holder` owns the bank details in the PII vault. */
async function sealPayee(
  services: Services,
  { name, sortCode, accountNumber }: PayeeAccount,
  { holder, actor }: { holder: string; actor: string },
): Promise<SealedPayee> {
  const details = { account_holder_name: name, sort_code: sortCode, account_number: accountNumber };
  const record = await sealDetails(services, details, { holder, actor });
  // The fingerprint stays the same after key rotations.
  const account_fingerprint = accountNumberHash(services, { sortCode: digitsForm(sortCode), accountNumber });
  return { record, account_fingerprint };
}

export function sealDetails(
  services: Services,
  data: PiiTypes['payee_bank'],
  { holder, actor }: { holder: string; actor: string },
): Promise<SealedRecord> {
  return sealPii(services, { pii_type: 'payee_bank', owner_id: holder, data, purpose: 'payee', actor });
}

export function holderOf(principal: Principal): string {
  return principal.kind === 'user' ? principal.userId : principal.appId;
}

function voucherOf(principal: Principal): VouchedBy | null {
  return principal.kind === 'api_key' && covers(principal.scopes, 'vouch:payees') ? 'application' : null;
}

/** The payee must be shared, or belong to the caller or the owner. */
export function requirePayee<Row extends { held_by: string | null }>(
  payee: Row | undefined,
  { principal, ownerId }: { principal: Principal; ownerId: string },
): Row {
  const holders = [null, holderOf(principal), ownerId];
  if (payee && holders.includes(payee.held_by)) return payee;
  throw unknownPayee();
}

export function requireConfirmed({ confirm_before_pay }: Pick<PayeeRow, 'confirm_before_pay'>): void {
  if (!confirm_before_pay) return;
  throw new DomainError(
    'payee-unconfirmed',
    'After a restore, somebody must first confirm this payee. The person does so with PATCH and the payee’s present name.',
  );
}

export function unknownPayee(): DomainError {
  return new DomainError(
    'unknown-provider',
    'There is no provider with this id. To list your providers, send GET /api/v1/payments/providers.',
  );
}

/** The payee stays as it is until the transaction ends. @throws DomainError if nobody may pay it. */
export async function holdPayee(tx: Tx, providerId: string): Promise<void> {
  const payee = await tx.one(payees.payeeToPay(providerId));
  if (payee.removed_at !== null) throw unknownPayee();
  requireConfirmed(payee);
}

/** @throws DomainError `pii-damaged` if the payee, or its account, was changed outside the service. */
export async function payeeAccount(services: Services, payee: MacedPayee): Promise<PayeeAccount> {
  const { bank_ref } = await requireGenuine(services, payee);
  const details = await retrievePii<'payee_bank'>(services, bank_ref, { purpose: 'payment' });
  return { name: details.account_holder_name, sortCode: details.sort_code, accountNumber: details.account_number };
}

/** The audit log records that the payees' details were read. */
export async function payeeViews(services: Services, rows: readonly ShownPayee[], actor: string): Promise<Payee[]> {
  const views = rows.map(async (row) => {
    const details = await bankDetailsOf(services, row, actor);
    return details === null ? [] : [payeeView(row, details)];
  });
  return (await Promise.all(views)).flat();
}

/** Null if the payee has been removed since its row was read. */
export async function bankDetailsOf(
  services: Services,
  payee: PayeeRow,
  actor: string,
): Promise<PiiTypes['payee_bank'] | null> {
  const { provider_id, bank_ref } = await requireGenuine(services, payee);
  try {
    return await retrievePii<'payee_bank'>(services, bank_ref, { purpose: 'payee-list', actor });
  } catch (error) {
    if (!(error instanceof DomainError && error.code === 'pii-erased')) throw error;
    const now = await services.db.one(payees.payeeById(provider_id));
    if (now.removed_at !== null) return null;
    // A record is erased only with its payee, or when the payee gets a new one.
    if (now.bank_ref === bank_ref) throw error;
    return bankDetailsOf(services, now, actor);
  }
}

export function payeeView(
  { provider_id, category, vouched_by, own_account, created_at }: Omit<Payee, 'name' | 'sort_code' | 'account_number'>,
  { account_holder_name: name, sort_code, account_number }: PiiTypes['payee_bank'],
): Payee {
  return {
    provider_id,
    name,
    category,
    sort_code: maskSortCode(sort_code),
    account_number: maskAccountNumber(account_number),
    vouched_by,
    own_account,
    created_at,
  };
}
