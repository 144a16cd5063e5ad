import { callerOf, covers, type Principal } from '../../domain/auth.ts';
import { DomainError } from '../../domain/errors.ts';
import type { VouchedBy } from '../../domain/payments.ts';
import { SANDBOX_PAYEES } from '../../domain/sandbox-payees.ts';
import { digitsForm, maskAccountNumber, maskSortCode } from '../../domain/vault.ts';
import * as statements from '../../infra/db/statements/payments.ts';
import type { ProviderRow } from '../../infra/db/statements/payments.ts';
import type { Services } from '../../infra/services.ts';
import { holdSignIn, requireProvedAddress } from '../auth/proof.ts';
import { pagesOf, type Page } from '../page.ts';
import { vaultActivities } from '../vault.ts';
import type { AddProviderRequest, Provider } from '../../openapi/types.ts';
import { fingerprintOf } from './accounts.ts';

/** A payee's account in the clear: for the bank alone. */
export interface PayeeAccount {
  name: string;
  sortCode: string;
  accountNumber: string;
}

type NewProvider = AddProviderRequest & { principal: Principal };

/** Providers: whom bills can be paid to. */
export function providerActivities(services: Services) {
  const { db, newId, clock } = services;
  const { storePii } = vaultActivities(services);

  const bankDetails = (ownerId: string, { name, sortCode, accountNumber }: PayeeAccount, actor: string) =>
    storePii({
      pii_type: 'payee_bank',
      owner_id: ownerId,
      data: { account_holder_name: name, sort_code: sortCode, account_number: accountNumber },
      purpose: 'payee',
      actor,
    });

  return {
    /**
     * Adds a payee of the caller's; the bank details go into the PII vault.
     * @throws DomainError `email-not-verified` for a person, in production.
     */
    async addProvider({ principal, name, category, sort_code, account_number }: NewProvider): Promise<Provider> {
      return db.transaction(async () => {
        await holdSignIn(services, principal);
        if (principal.kind === 'user') await requireProvedAddress(services, principal.userId);
        const providerId = newId('prov');
        const at = await clock.now();
        const held_by = holderOf(principal);
        const account = { name, sortCode: digitsForm(sort_code), accountNumber: account_number };
        const bankRef = await bankDetails(held_by, account, callerOf(principal));
        const vouched_by = voucherOf(principal);
        const fingerprint = fingerprintOf(services, account);
        const created_at = at.toISOString();
        await db.run(
          statements.insertProvider({
            provider_id: providerId,
            held_by,
            category,
            bank_ref: bankRef,
            vouched_by,
            account_fingerprint: fingerprint,
            created_at,
          }),
        );
        return {
          provider_id: providerId,
          name,
          category,
          sort_code: maskSortCode(sort_code),
          account_number: maskAccountNumber(account_number),
          vouched_by,
          created_at,
        };
      });
    },

    /** The caller's payees and the sandbox's, newest first. */
    async listProviders({
      principal,
      limit,
      cursor,
    }: {
      principal: Principal;
      limit: number;
      cursor?: string;
    }): Promise<Page<Provider>> {
      const holder = holderOf(principal);
      const pages = pagesOf(services, { operation: 'listProviders', filter: { holder } });
      const rows = await db.many(
        statements.providersOf({ holder, before: await pages.after(cursor), most: limit + 1 }),
      );
      const { items, next_cursor } = await pages.page(rows, limit, (row) => row);
      return { items: await providerViews(services, items, callerOf(principal)), next_cursor };
    },

    /** Makes the payees that every sandbox has and vouches for them, also where an earlier version made them. Not in production. */
    async ensureSandboxPayees(): Promise<void> {
      if (services.config.environment !== 'sandbox') return;
      for (const payee of SANDBOX_PAYEES) {
        if (await db.maybe(statements.providerById(payee.providerId))) continue;
        await db.transaction(async () => {
          const bankRef = await bankDetails(payee.providerId, payee, 'service');
          const fingerprint = fingerprintOf(services, payee);
          await db.run(
            statements.insertProvider({
              provider_id: payee.providerId,
              held_by: null,
              category: payee.category,
              bank_ref: bankRef,
              vouched_by: 'sandbox',
              account_fingerprint: fingerprint,
              created_at: (await clock.now()).toISOString(),
            }),
          );
        });
      }
      const ids = SANDBOX_PAYEES.map(({ providerId }) => providerId);
      await db.run(statements.vouchFor(ids, 'sandbox'));
    },
  };
}

/** Who holds a payee: the user who added it, or the application whose key did. */
function holderOf(principal: Principal): string {
  return principal.kind === 'user' ? principal.userId : principal.appId;
}

/** Who vouches for a payee that this caller adds: an application whose key may. */
function voucherOf(principal: Principal): VouchedBy | null {
  return principal.kind === 'api_key' && covers(principal.scopes, 'vouch:payees') ? 'application' : null;
}

/**
 * A payee that the caller may pay for this owner: everybody's, the caller's or the owner's.
 * @throws DomainError `unknown-provider` when it is none of them.
 */
export function requireProvider<Provider extends { held_by: string | null }>(
  provider: Provider | undefined,
  { principal, ownerId }: { principal: Principal; ownerId: string },
): Provider {
  const holders = [null, holderOf(principal), ownerId];
  if (provider && holders.includes(provider.held_by)) return provider;
  throw unknownProvider();
}

export function unknownProvider(): DomainError {
  return new DomainError(
    'unknown-provider',
    'There is no such provider for this caller. GET /api/v1/payments/providers lists them.',
  );
}

/** Whether a payee was removed, so that nobody pays it any more. */
export async function isRemoved({ db }: Pick<Services, 'db'>, providerId: string): Promise<boolean> {
  return (await db.one(statements.providerById(providerId))).removed_at !== null;
}

/** The account to pay to, out of the PII vault. */
export async function payeeAccount(services: Services, bankRef: string): Promise<PayeeAccount> {
  const details = await vaultActivities(services).retrievePii<'payee_bank'>(bankRef, { purpose: 'payment' });
  return { name: details.account_holder_name, sortCode: details.sort_code, accountNumber: details.account_number };
}

/** Payees as callers see them. That they were looked up is on record. */
export async function providerViews(
  services: Services,
  rows: readonly ProviderRow[],
  actor: string,
): Promise<Provider[]> {
  const refs = rows.map(({ bank_ref }) => bank_ref);
  const access = { purpose: 'payee-list', actor };
  const accounts = await vaultActivities(services).retrieveAllPii<'payee_bank'>(refs, access);
  return rows.map(({ provider_id, category, bank_ref, vouched_by, created_at }) => {
    const { account_holder_name: name, sort_code, account_number } = accounts.get(bank_ref)!;
    return {
      provider_id,
      name,
      category,
      sort_code: maskSortCode(sort_code),
      account_number: maskAccountNumber(account_number),
      vouched_by,
      created_at,
    };
  });
}
