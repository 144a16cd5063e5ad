import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Transporter } from 'nodemailer';
import type { MailConfig } from '../config/index.ts';

export interface Letter {
  to: string;
  subject: string;
  text: string;
}

/** Sends emails by SMTP. Without SMTP_URL, writes each email into a folder as an `.eml` file (RFC 5322). */
export interface Mailer {
  /** @throws unless the mail server accepted the email, or a file contains the email. */
  send(letter: Letter): Promise<void>;
}

/** Loads the email library with the first email, because most processes send no email. */
export function openMailer({ smtpUrl, smtpCa, from, outboxDir }: MailConfig): Mailer {
  return {
    async send(letter) {
      const { createTransport } = await import('nodemailer');
      if (smtpUrl !== undefined) {
        // Sends only over TLS: `smtps:` from the first byte, `smtp:` by STARTTLS. A server without TLS gets no email.
        const transport = createTransport({
          url: smtpUrl,
          requireTLS: true,
          ...(smtpCa !== undefined && { tls: { ca: await readFile(smtpCa, 'utf8') } }),
          connectionTimeout: 5_000,
          greetingTimeout: 5_000,
          socketTimeout: 20_000,
          disableFileAccess: true,
          disableUrlAccess: true,
        });
        await transport.use('stream', keepLinesWhole).sendMail({ from, ...letter });
        return;
      }
      const transport = createTransport({ streamTransport: true, buffer: true, newline: 'windows' });
      const { message } = await transport.use('stream', keepLinesWhole).sendMail({ from, ...letter });
      await putInto(outboxDir, message as Buffer);
    },
  };
}

type MailMessage = Parameters<Parameters<Transporter['use']>[1]>[0];

/** The limit of RFC 5322, section 2.1.1. */
const LONGEST_LINE = 998;

/** nodemailer would encode ASCII lines of more than 76 characters, which breaks links in a saved file. */
function keepLinesWhole({ data, message }: MailMessage, done: (error?: Error) => void): void {
  const text = typeof data.text === 'string' ? data.text : '';
  const fits = /^[\n\x20-\x7e]*$/.test(text) && text.split('\n').every(({ length }) => length <= LONGEST_LINE);
  if (fits) message.getTransferEncoding = () => '7bit';
  done();
}

/** Renames complete files into place, so that readers never see half an email. */
async function putInto(dir: string, message: Buffer): Promise<void> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const name = `${new Date().toISOString().replaceAll(':', '-')}-${randomUUID()}`;
  const draft = join(dir, `.${name}`);
  try {
    await writeFile(draft, message, { mode: 0o600, flush: true });
    await rename(draft, join(dir, `${name}.eml`));
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
