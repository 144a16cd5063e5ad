import type { MailKind } from '../../infra/db/statements/mail.ts';

/** What a letter says. */
export interface Words {
  subject: string;
  text: string;
}

/** What each kind of letter is told, beside whom it goes to. `publicUrl` is where people reach the service. */
export interface LetterFacts {
  'password-reset': { link: string; minutes: number };
  'password-changed': { publicUrl: string };
  'sign-in-linked': { publicUrl: string; providerName: string };
}

/** The exact wording of every letter; plain text, the link on a line of its own. */
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
      `your Ringfence account can now be used by signing in with ${providerName}, because somebody signed in there with your e-mail address.`,
      '',
      'If that was you, you need not do anything.',
      '',
      `If it was not you, somebody else may have got into your account at ${providerName} or your mailbox. Secure those first, then set a new password here, which signs out everybody:`,
      '',
      `${publicUrl}/api/v1/auth/forgot-password`,
    ),
  }),
};

function lines(...written: string[]): string {
  return `${written.join('\n')}\n`;
}
