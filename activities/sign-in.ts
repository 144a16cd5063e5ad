import { listIdentityProviderLinks } from '../infra/db/queries/sign-in.ts';
import type { Services } from '../infra/services.ts';
import { judgeAuthorizationRequest, judgeDestination } from './auth/authorize.ts';
import { changePassword } from './auth/change-password.ts';
import { answerConsent, describeConsent } from './auth/consent.ts';
import { requireOpenRegistration } from './auth/invitations.ts';
import { requireSamePassword, verifyPassword, type PasswordGiven } from './auth/login.ts';
import { sendDueMail } from './auth/mail.ts';
import {
  describeMailedProof,
  describeProof,
  mailProof,
  proveByLetter,
  proveByPassword,
} from './auth/identity-proof.ts';
import { describeVerification, sendVerificationMail, verifyEmail } from './auth/proof.ts';
import { describeReset, prepareReset } from './auth/password-reset.ts';
import { beginSession, freshSessionOf, sessionOf, signOut, type Session } from './auth/sessions.ts';
import { bind } from './bind.ts';

const signingIn = { judgeDestination, sessionOf, freshSessionOf, signIn, requireOpenRegistration, signOut };
const consent = { judgeAuthorizationRequest, describeConsent, answerConsent, listIdentityProviderLinks: providerLinks };
const passwords = { describeReset, prepareReset, changePassword };
const addresses = { sendVerificationMail, describeVerification, verifyEmail, sendDueMail };
const proofs = { describeProof, describeMailedProof, mailProof, proveByPassword, proveByLetter };

export const signInActivities = (services: Services) =>
  bind(services, { ...signingIn, ...consent, ...passwords, ...addresses, ...proofs });

/** @throws DomainError `invalid-credentials` or `rate-limited`. */
async function signIn(
  services: Services,
  { previous, ...credentials }: PasswordGiven & { previous: Session | undefined },
): Promise<{ cookie: string }> {
  const verified = await verifyPassword(services, credentials);
  return services.db.transaction(async (tx) => {
    await requireSamePassword(tx, verified);
    const { userId } = verified;
    return beginSession(tx, services, { userId, method: 'password', at: new Date(), previous, from: credentials.from });
  });
}

async function providerLinks({ db }: Services) {
  return db.many(listIdentityProviderLinks());
}
