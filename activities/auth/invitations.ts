import { DomainError, invalidInput } from '../../domain/errors.ts';
import * as statements from '../../infra/db/statements/invitations.ts';
import { hashOf, newInvitation } from '../../infra/keys/credentials.ts';
import type { Services } from '../../infra/services.ts';
import { audit } from '../audit.ts';
import { OPERATOR } from './applications.ts';

const DAY_MS = 86_400_000;
const DAYS = { usually: 7, most: 30 } as const;

type Needs = Pick<Services, 'db' | 'config'>;

/**
 * Makes an invitation to create one account. Only its hash is stored.
 * @param days how long the invitation works, 1 to 30 days.
 * @returns the link for the invited person, which is shown only once. @throws DomainError `invalid-request`.
 */
export async function inviteUser(
  services: Needs & Pick<Services, 'newId'>,
  { days = DAYS.usually }: { days?: number | undefined } = {},
): Promise<{ invitation_id: string; url: string; expires_at: string }> {
  const { db, config, newId } = services;
  if (days < 1 || days > DAYS.most) throw invalidInput('/days', `An invitation works for 1 to ${DAYS.most} days.`);
  const token = newInvitation();
  const at = new Date();
  const expires_at = new Date(at.getTime() + days * DAY_MS).toISOString();
  const invitation_id = newId('inv');
  await db.transaction(async () => {
    const row = { token_hash: hashOf(token), invitation_id, created_at: at.toISOString(), expires_at };
    await db.run(statements.insertInvitation(row));
    await audit(services, {
      subject: invitation_id,
      kind: 'invitation.created',
      actor: OPERATOR,
      data: { expires_at },
    });
  });
  const url = new URL('/api/v1/auth/create-account', config.api.publicUrl);
  url.searchParams.set('invitation', token);
  return { invitation_id, url: url.href, expires_at };
}

/**
 * Checks that the caller may create an account, before anything reveals which addresses have one. Does not use up the
 * invitation. @throws DomainError `registration-closed`.
 */
export async function requireOpenRegistration(
  { db, config }: Needs,
  { invitation }: { invitation?: string | undefined },
): Promise<void> {
  if (config.registration.mode === 'open') return;
  if (invitation !== undefined && (await db.maybe(statements.liveInvitation(hashOf(invitation))))) return;
  throw closed();
}

/**
 * Uses up the invitation in the open transaction, which creates the account. Requests with the same invitation wait for
 * each other, so one account is created. While registration is open no invitation is needed, and none is used up.
 * @returns what the audit log says of it. @throws DomainError `registration-closed`.
 */
export async function useInvitation(
  { db, config }: Needs,
  { invitation }: { invitation?: string | undefined },
): Promise<{ invitation_id?: string }> {
  if (config.registration.mode === 'open') return {};
  const used = invitation === undefined ? undefined : await db.maybe(statements.useInvitation(hashOf(invitation)));
  if (used === undefined) throw closed();
  return { invitation_id: used.invitation_id };
}

function closed(): DomainError {
  return new DomainError(
    'registration-closed',
    'Registration is closed. Ask the operator for an invitation; each one works once, and until it expires.',
  );
}
