import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Transporter } from 'nodemailer';
import type { MailConfig } from '../config.ts';

/** A letter as it is sent: plain text, which every reader shows and nothing hides in. */
export interface Letter {
  to: string;
  subject: string;
  text: string;
}

/** Sends letters by SMTP; where none is set, writes them into a folder, one `.eml` file (RFC 5322) each. */
export interface Mailer {
  /** @throws when the letter was not taken; then it may be sent again. */
  send(letter: Letter): Promise<void>;
  close(): void;
}

const TIMEOUTS = { connectionTimeout: 5_000, greetingTimeout: 5_000, socketTimeout: 20_000 };

/** Opened with the first letter: most processes send none, and what sends them takes memory. */
export function openMailer({ smtpUrl, smtpCa, from, outboxDir }: MailConfig): Mailer {
  let opened: Promise<Mailer> | undefined;
  return {
    async send(letter) {
      opened ??= smtpUrl === undefined ? folderMailer(from, outboxDir) : smtpMailer(from, smtpUrl, smtpCa);
      await (await opened).send(letter);
    },
    close: () => void opened?.then((mailer) => mailer.close()),
  };
}

/** Only over TLS: from the first byte by `smtps:`, by STARTTLS with `smtp:`; a server that has neither gets no letter. */
async function smtpMailer(from: string, smtpUrl: string, caFile: string | undefined): Promise<Mailer> {
  const { createTransport } = await import('nodemailer');
  const transport = createTransport({
    url: smtpUrl,
    requireTLS: true,
    ...(caFile !== undefined && { tls: { ca: await readFile(caFile, 'utf8') } }),
    ...TIMEOUTS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  transport.use('stream', keepLinesWhole);
  return {
    async send(letter) {
      await transport.sendMail({ from, ...letter });
    },
    close: () => transport.close(),
  };
}

/** What a plugin of the library is given. */
type MailMessage = Parameters<Parameters<Transporter['use']>[1]>[0];

/** RFC 5322, 2.1.1. */
const LONGEST_LINE = 998;

/**
 * The library folds lines of more than 76 characters into quoted-printable, links too. Read as it is stored, such a letter has
 * a broken link. Plain ASCII within the standard's limit needs no encoding.
 */
function keepLinesWhole({ data, message }: MailMessage, done: (error?: Error) => void): void {
  const text = typeof data.text === 'string' ? data.text : '';
  const fits = /^[\n\x20-\x7e]*$/.test(text) && text.split('\n').every(({ length }) => length <= LONGEST_LINE);
  if (fits) message.getTransferEncoding = () => '7bit';
  done();
}

/** Whole beside its place, then renamed: who watches the folder never reads half a letter. */
async function folderMailer(from: string, dir: string): Promise<Mailer> {
  const { createTransport } = await import('nodemailer');
  const transport = createTransport({ streamTransport: true, buffer: true, newline: 'windows' });
  transport.use('stream', keepLinesWhole);
  return {
    async send(letter) {
      const { message } = await transport.sendMail({ from, ...letter });
      await mkdir(dir, { recursive: true, mode: 0o700 });
      const name = `${new Date().toISOString().replaceAll(':', '-')}-${randomUUID()}`;
      const draft = join(dir, `.${name}`);
      await writeFile(draft, message as Buffer, { mode: 0o600, flush: true });
      await rename(draft, join(dir, `${name}.eml`));
    },
    close: () => transport.close(),
  };
}
