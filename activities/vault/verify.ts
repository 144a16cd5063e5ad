import { createHash, timingSafeEqual } from 'node:crypto';
import type { Principal } from '../../domain/auth.ts';
import { invalidInput } from '../../domain/errors.ts';
import { fieldsOf, piiTypeOf } from '../../domain/vault/fields.ts';
import { lockRecord, recordByRef } from '../../infra/db/queries/vault.ts';
import type { Services } from '../../infra/services.ts';
import { audit } from '../audit.ts';
import type { FieldVerification, FieldVerificationRequest } from '../../openapi/types.ts';
import { accessBy, eventOf, openContent, requireOpen, typeOf, type VaultServices } from './record.ts';

export interface FieldQuestion extends FieldVerificationRequest {
  principal: Principal;
  vault_ref: string;
}

export async function verifyVaultField(
  services: VaultServices & Pick<Services, 'limits'>,
  { principal, vault_ref, field, value }: FieldQuestion,
): Promise<FieldVerification> {
  const access = accessBy(principal);
  const record = requireOpen(piiTypeOf(vault_ref) && (await services.db.maybe(recordByRef(vault_ref, access.app))));
  const fields = fieldsOf(typeOf(record));
  const form = fields.get(field)?.form;
  if (form === undefined) {
    throw invalidInput(
      '/field',
      `is not a field of ${typeOf(record)}; its fields are ${[...fields.keys()].join(', ')}`,
    );
  }
  await services.limits.check('vault-answers', guesserOf(principal, vault_ref));
  const { data } = await openContent(services, record, access);
  const kept = data[field];
  const match = kept !== undefined && isSame(form(kept), form(value));
  await putOnRecord(services, { principal, vault_ref, field, match });
  return { vault_ref, field, match };
}

/**
 * Records the result before the response is sent. Checks of one record run one at a time, so concurrent guesses cannot
 * exceed the limit.
 */
async function putOnRecord(
  services: VaultServices & Pick<Services, 'limits'>,
  { principal, vault_ref, field, match }: FieldVerification & { principal: Principal },
): Promise<void> {
  await services.db.transaction(async (tx) => {
    requireOpen(await tx.maybe(lockRecord(vault_ref)));
    const limits = services.limits.within(tx);
    const guesser = guesserOf(principal, vault_ref);
    await limits.check('vault-answers', guesser);
    if (!match) await limits.take('vault-answers', guesser);
    await audit(tx, services, eventOf(vault_ref, 'vault.verified', accessBy(principal, { field, match })));
  });
}

/** Each application has its own count for a record, so that no application locks out another. */
function guesserOf(principal: Principal, vaultRef: string): string {
  return `${principal.kind === 'api_key' ? principal.appId : principal.userId} ${vaultRef}`;
}

/** Compares in constant time, so that timing reveals neither the first difference nor the lengths. */
function isSame(one: string, other: string): boolean {
  return timingSafeEqual(digestOf(one), digestOf(other));
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text, 'utf8').digest();
}
