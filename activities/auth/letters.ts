import type { MailKind } from '../../infra/db/entities/mail.ts';

export interface Letter {
  subject: string;
  text: string;
}

export const LETTERS = {
  'password-reset': ({ link, minutes }: { link: string; minutes: number }) => ({
    subject: 'Set a new Ringfence password',
    text: letter(
      'Somebody, most likely you, asked for a new password for your Ringfence account. To set a new password, open this link:',
      link,
      `The link works once and expires after ${minutes} minutes. Setting a new password signs out every device and application.`,
      'If you did not ask for this, you need not do anything: your password stays as it is. Do not forward this email to anybody. We never ask for it.',
    ),
  }),

  'password-changed': ({ publicUrl }: { publicUrl: string }) => ({
    subject: 'Your Ringfence password was changed',
    text: letter(
      'Your Ringfence password was just changed. All other devices and applications were signed out, and payments that they had scheduled were cancelled.',
      'If that was you, you need not do anything.',
      'If it was not you, somebody else might have got into your account or your mailbox. Change the password of your mailbox first, then set a new one here:',
      `${publicUrl}/api/v1/auth/forgot-password`,
    ),
  }),

  'sign-in-linked': ({ publicUrl, identityProviderName }: { publicUrl: string; identityProviderName: string }) => ({
    subject: 'A new way to sign in to Ringfence',
    text: letter(
      `You can now sign in to your Ringfence account with ${identityProviderName}. Somebody signed in there with your email address. They proved that the Ringfence account is theirs, with its password or with a link that we sent to you.`,
      'If that was you, you need not do anything.',
      `If it was not you, somebody else might have got into your account at ${identityProviderName} or your mailbox. Secure that account and your mailbox first. Then set a new password here, which signs everybody out:`,
      `${publicUrl}/api/v1/auth/forgot-password`,
    ),
  }),

  'email-verification': ({ link, hours }: { link: string; hours: number }) => ({
    subject: 'Is this your email address?',
    text: letter(
      'Somebody, most likely you, has a Ringfence account with this email address. To confirm that the address is yours, open this link and type the password of the account:',
      link,
      `The link works once and expires after ${hours} hours.`,
      'If it was not you, somebody else used your address. You need not do anything. Or open the link and choose to set a new password. The account is then yours: everybody else is signed out, and the payments that they scheduled are cancelled.',
    ),
  }),

  'provider-link': ({
    link,
    minutes,
    identityProviderName,
  }: {
    link: string;
    minutes: number;
    identityProviderName: string;
  }) => ({
    subject: 'A link to sign in to Ringfence',
    text: letter(
      `Somebody, most likely you, signed in with ${identityProviderName} and wants to use it for your Ringfence account from now on. If that is you, open this link in the same browser:`,
      link,
      `The link works once, only in that browser, and expires after ${minutes} minutes.`,
      'If it is not you, do not open the link, and your account stays as it is. Do not forward this email to anybody. We never ask for it.',
    ),
  }),

  'bank-reconfirmation': ({ link, lastDay }: { link: string; lastDay: string }) => ({
    subject: 'May Ringfence go on reading your accounts?',
    text: letter(
      `You let Ringfence read your accounts at a bank. By law, we ask you every 90 days whether that may go on. Until the end of ${lastDay}, you can say yes here, after you have signed in:`,
      link,
      'If you do nothing, we stop reading your accounts after that day. Payments do not change.',
      'We never ask for the password of your bank. Do not forward this email to anybody.',
    ),
  }),
} satisfies Record<MailKind, (facts: never) => Letter>;

function letter(...paragraphs: string[]): string {
  return `${['Hello,', ...paragraphs].join('\n\n')}\n`;
}
