import type { Principal } from '../domain/auth.ts';
import type { GivenQuery } from '../domain/authorize.ts';
import { listProviderLinks, type ProviderLinkRow } from '../infra/db/statements/sign-in.ts';
import type { Services } from '../infra/services.ts';
import { judgeAuthorizationRequest, type AuthorizationRequest } from './auth/authorize.ts';
import { changePassword, type PasswordChange } from './auth/change-password.ts';
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
} from './auth/provider-proof.ts';
import { describeVerification, sendVerificationMail, verifyEmail, type AddressProof } from './auth/proof.ts';
import {
  describeReset,
  prepareReset,
  requestPasswordReset,
  resetPassword,
  type PreparedReset,
} from './auth/password-reset.ts';
import { beginSession, endSession, sessionOf, type BrowserHeaders, type Session } from './auth/sessions.ts';

export const signInActivities = (services: Services) => ({
  judgeAuthorizationRequest: (given: { query: GivenQuery }) => judgeAuthorizationRequest(services, given),
  sessionOf: (headers: BrowserHeaders) => sessionOf(services, headers),

  /** Do not call inside a transaction. @throws DomainError `invalid-credentials` or `rate-limited`. */
  async signIn(given: PasswordGiven & { previous: Session | undefined }): Promise<{ cookie: string }> {
    const { previous, ...credentials } = given;
    const verified = await verifyPassword(services, credentials);
    return services.db.transaction(async () => {
      await requireSamePassword(services, verified);
      const { userId } = verified;
      return beginSession(services, { userId, method: 'password', at: new Date(), previous, from: given.from });
    });
  },

  requireOpenRegistration: (given: { invitation?: string | undefined }) => requireOpenRegistration(services, given),

  signOut: (session: Session) => endSession(services, { ...session, at: new Date() }),
  describeConsent: (given: { request: AuthorizationRequest; session: Session }) => describeConsent(services, given),
  answerConsent: (given: { request: AuthorizationRequest; session: Session; allowed: boolean }) =>
    answerConsent(services, given),

  listProviderLinks: (): Promise<ProviderLinkRow[]> => services.db.many(listProviderLinks()),

  requestPasswordReset: (given: { email: string }) => requestPasswordReset(services, given),
  describeReset: (given: { token: string }) => describeReset(services, given),
  prepareReset: (given: { token: string; password: string }) => prepareReset(services, given),
  resetPassword: (given: { token: string; password: string }, prepared?: Promise<PreparedReset>) =>
    resetPassword(services, given, prepared),
  changePassword: (given: PasswordChange) => changePassword(services, given),

  sendVerificationMail: (given: { principal: Principal }) => sendVerificationMail(services, given),
  describeVerification: (given: { token: string }) => describeVerification(services, given),
  verifyEmail: (given: AddressProof) => verifyEmail(services, given),

  describeProof: (given: Parameters<typeof describeProof>[1]) => describeProof(services, given),
  describeMailedProof: (given: Parameters<typeof describeMailedProof>[1]) => describeMailedProof(services, given),
  mailProof: (given: Parameters<typeof mailProof>[1]) => mailProof(services, given),
  proveByPassword: (given: Parameters<typeof proveByPassword>[1]) => proveByPassword(services, given),
  proveByLetter: (given: Parameters<typeof proveByLetter>[1]) => proveByLetter(services, given),

  sendDueMail: () => sendDueMail(services),
});
