import * as z from 'zod';
import { BankError, type ConsentAccess, type ConsentState } from '../interface.ts';
import { requireSecret, type Authorization } from './authorization.ts';
import type { Data } from './data.ts';
import { errorOf } from './errors.ts';
import { id } from './fields.ts';

const ME = z.object({ credentials_id: id, consent_expires_at: z.string().nullish().catch(null) });

/** A consent as the provider reports it. Its status is left out, because it may stay after the consent has ended. */
export interface Consent {
  consentRef: string;
  expiresAt: Date | null;
  bankNow: Date;
}

/** @throws BankError */
export async function readConsent(data: Data, access: ConsentAccess): Promise<Consent> {
  const { results, bankNow } = await data.ask(access, '/me', { list: true });
  const { success, data: me } = ME.safeParse(results[0]);
  if (!success) throw new BankError('away', 'the provider tells of a consent without an id');
  const expiresAt = new Date(me.consent_expires_at ?? '');
  return {
    consentRef: me.credentials_id,
    expiresAt: Number.isNaN(expiresAt.getTime()) ? null : expiresAt,
    bankNow,
  };
}

/** Only a refresh proves that a consent is good. The API does not tell a revoked one from one that is over. */
export async function look(authorization: Authorization, data: Data, access: ConsentAccess): Promise<ConsentState> {
  try {
    await authorization.renew(requireSecret(access.secret));
    const { consentRef, expiresAt, bankNow } = await readConsent(data, access);
    if (consentRef !== access.consentRef) throw new BankError('away', 'the answer is about a different consent');
    return expiresAt !== null && expiresAt <= bankNow ? 'reauthorise' : 'authorised';
  } catch (error) {
    if (error instanceof BankError && error.kind === 'reauthorise') return 'reauthorise';
    throw error;
  }
}

const UNAUTHORIZED = 401;

/** The end of a consent ends its tokens. @throws BankError */
export async function end(authorization: Authorization, access: ConsentAccess): Promise<'done' | 'already'> {
  try {
    const answer = await authorization.asPerson(access, deletion(authorization));
    if (answer.status === UNAUTHORIZED) return 'already';
    if (answer.status < 200 || answer.status > 299) throw errorOf(answer, { list: false });
    return 'done';
  } catch (error) {
    if (error instanceof BankError && error.kind === 'reauthorise') return 'already';
    throw error;
  }
}

export function deletion({ base }: Authorization) {
  return { method: 'DELETE', url: `${base}/api/delete` } as const;
}
