import { defineEntity, p } from '@mikro-orm/core';
import { createdAt, instant, sequence, text } from './columns.ts';

export type MailKind =
  | 'password-reset'
  | 'password-changed'
  | 'sign-in-linked'
  | 'email-verification'
  | 'provider-link'
  | 'bank-reconfirmation';

/** The row contains neither the text of the email nor the recipient's address. */
export const MailMessage = defineEntity({
  name: 'MailMessage',
  tableName: 'mail_messages',
  properties: {
    mailId: sequence().primary(),
    kind: text().$type<MailKind>(),
    userId: text().nullable(),
    data: p.json<Record<string, string>>(),
    attempts: p.integer().default(0),
    availableAt: instant().index('mail_messages_available'),
    createdAt: createdAt(),
  },
});
