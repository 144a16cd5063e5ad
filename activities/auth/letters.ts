import type { MailKind } from '../../infra/db/entities/operations.ts';

export interface Words {
  subject: string;
  text: string;
}

/** The facts in each kind of letter, besides its recipient. `publicUrl` is the public address of the service. */
export interface LetterFacts {
  'password-reset': { link: string; minutes: number };
  'password-changed': { publicUrl: string };
  'sign-in-linked': { publicUrl: string; providerName: string };
  'email-verification': { link: string; hours: number };
  'provider-link': { link: string; minutes: number; providerName: string };
}

/** The exact wording of every letter: plain text, with the link on its own line. */
export const LETTERS: { readonly [Kind in MailKind]: (facts: LetterFacts[Kind]) => Words } = {
  'password-reset': ({ link, minutes }) => ({
    subject: 'Set a new Ringfence password',
    text: lines(
      'Hello,',
      '',
      'somebody, most likely you, asked to set a new password for your Ringfence account. To do so, open this link:',
      '',
      link,
      '',
      `It works once, for ${minutes} minutes. When the new password is set, every device and application that is signed in now is signed out.`,
      '',
      'If you did not ask for this, you need not do anything: your password stays as it is. Do not pass this e-mail on to anybody, whoever asks for it. We never will.',
    ),
  }),

  'password-changed': ({ publicUrl }) => ({
    subject: 'Your Ringfence password was changed',
    text: lines(
      'Hello,',
      '',
      'the password of your Ringfence account was changed just now, and the other devices and applications that were signed in were signed out.',
      '',
      'If that was you, you need not do anything.',
      '',
      'If it was not you, somebody else may have got into your account or your mailbox. Change the password of your mailbox first, then set a new one here:',
      '',
      `${publicUrl}/api/v1/auth/forgot-password`,
    ),
  }),

  'sign-in-linked': ({ publicUrl, providerName }) => ({
    subject: 'A new way to sign in to Ringfence',
    text: lines(
      'Hello,',
      '',
      `your Ringfence account can now be used by signing in with ${providerName}. Somebody signed in there with your e-mail address, and proved that the account is theirs: by its password, or by a link that we sent here.`,
      '',
      'If that was you, you need not do anything.',
      '',
      `If it was not you, somebody else may have got into your account at ${providerName} or your mailbox. Secure those first, then set a new password here, which signs out everybody:`,
      '',
      `${publicUrl}/api/v1/auth/forgot-password`,
    ),
  }),

  'email-verification': ({ link, hours }) => ({
    subject: 'Is this your e-mail address?',
    text: lines(
      'Hello,',
      '',
      'somebody, most likely you, has a Ringfence account with this e-mail address. To confirm that the address is yours, open this link and type the password of the account:',
      '',
      link,
      '',
      `It works once, for ${hours} hours.`,
      '',
      'If it was not you, somebody else used your address. You need not do anything. Or open the link and choose to set a new password: then the account is yours, everybody else is signed out, and what they scheduled is cancelled.',
    ),
  }),

  'provider-link': ({ link, minutes, providerName }) => ({
    subject: 'A link to sign in to Ringfence',
    text: lines(
      'Hello,',
      '',
      `somebody, most likely you, signed in with ${providerName} and wants to use your Ringfence account that way from now on. If that is you, open this link in the same browser:`,
      '',
      link,
      '',
      `It works once, for ${minutes} minutes, and in that browser only.`,
      '',
      'If it is not you, do not open it. Nobody can use your account without it. Do not pass this e-mail on to anybody, whoever asks for it. We never will.',
    ),
  }),
};

function lines(...written: string[]): string {
  return `${written.join('\n')}\n`;
}
