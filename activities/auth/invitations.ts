import { DAY_MS } from '../../domain/dates.ts';
import { DomainError, invalidInput } from '../../domain/errors.ts';
import * as queries from '../../infra/db/queries/sign-in.ts';
import type { Tx } from '../../infra/db/transaction.ts';
import { hashOf, newInvitation } from '../../infra/keys/credentials.ts';
import type { Services } from '../../infra/services.ts';
import { audit } from '../audit.ts';
import { actorOf, type Operated } from './applications.ts';

const DAYS = { usually: 7, most: 30 } as const;

type Needs = Pick<Services, 'db' | 'config' | 'keys'>;

export async function inviteUser(
  services: Needs & Pick<Services, 'newId'> & Operated,
  { days = DAYS.usually }: { days?: number | undefined } = {},
): Promise<{ invitation_id: string; url: string; expires_at: string }> {
  const { db, config, newId } = services;
  if (days < 1 || days > DAYS.most) throw invalidInput('/days', `An invitation works for 1 to ${DAYS.most} days.`);
  const token = newInvitation();
  const at = new Date();
  const expires_at = new Date(at.getTime() + days * DAY_MS).toISOString();
  const invitation_id = newId('inv');
  await db.transaction(async (tx) => {
    const row = { token_hash: hashOf(services, token), invitation_id, created_at: at.toISOString(), expires_at };
    await tx.run(queries.insertInvitation(row));
    await audit(tx, services, {
      subject: invitation_id,
      kind: 'invitation.created',
      actor: actorOf(services),
      data: { expires_at },
    });
  });
  const url = new URL('/api/v1/auth/create-account', config.api.publicUrl);
  url.searchParams.set('invitation', token);
  return { invitation_id, url: url.href, expires_at };
}

/** Does not use up the invitation. */
export async function requireOpenRegistration(
  services: Needs,
  { invitation }: { invitation?: string | undefined },
): Promise<void> {
  const { db, config } = services;
  if (config.registration.mode === 'open') return;
  if (invitation !== undefined && (await db.maybe(queries.liveInvitation(hashOf(services, invitation))))) return;
  throw closed();
}

/** Concurrent uses of one invitation wait, and one succeeds. */
export async function useInvitation(
  tx: Tx,
  services: Pick<Services, 'config' | 'keys'>,
  { invitation }: { invitation?: string | undefined },
): Promise<{ invitation_id?: string }> {
  if (services.config.registration.mode === 'open') return {};
  const used =
    invitation === undefined ? undefined : await tx.maybe(queries.useInvitation(hashOf(services, invitation)));
  if (used === undefined) throw closed();
  return { invitation_id: used.invitation_id };
}

function closed(): DomainError {
  return new DomainError(
    'registration-closed',
    'Registration is closed. Ask the operator for an invitation. An invitation works only once, and only until it expires.',
  );
}
