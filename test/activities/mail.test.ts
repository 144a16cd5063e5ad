import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { copyFile, readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { LETTERS } from '../../activities/auth/letters.ts';
import { queueMail } from '../../activities/auth/mail.ts';
import type { Log, LogFields } from '../../infra/telemetry/log.ts';
import { openMailer } from '../../infra/mail/index.ts';
import { startMailTask } from '../../infra/mail/task.ts';
import type { Services } from '../../infra/services.ts';
import { accountsOf, signInOf } from '../helpers/activities.ts';
import { asTls, certify } from '../helpers/certificates.ts';
import { cloneDatabase, openTestServices, type TestDatabase } from '../helpers/database.ts';
import { testEnvironment } from '../helpers/environment.ts';
import { lettersTo, linkIn, sendAllMail } from '../helpers/mail.ts';
import { sqlOf } from '../helpers/oauth.ts';
import { until } from '../helpers/until.ts';
import { markProved } from '../helpers/proved.ts';

const FROM = 'Ringfence <no-reply@ringfence.example>';

const pki = (file: string) => readFile(join(testEnvironment().dir, 'pki', file), 'utf8');

interface Server {
  url: string;
  letters: Email[];
  recipients: string[];
  sessions: number;
  close(): Promise<void>;
}

/** Refuses the first `refusals` emails, temporarily and permanently in turn. */
async function startSmtp({
  refusals = 0,
  ...options
}: SMTPServerOptions & { refusals?: number } = {}): Promise<Server> {
  const [cert, key] = await Promise.all(['server.crt', 'server.key'].map(pki));
  const taken: Server = { url: '', letters: [], recipients: [], sessions: 0, close: () => Promise.resolve() };
  let left = refusals;
  const server = new SMTPServer({
    cert,
    key,
    disabledCommands: ['AUTH'],
    ...options,
    onConnect(_session, done) {
      taken.sessions += 1;
      done();
    },
    onRcptTo({ address }, _session, done) {
      left -= 1;
      if (left >= 0)
        done(Object.assign(new Error(`try later, ${address}`), { responseCode: left % 2 === 0 ? 451 : 550 }));
      else done();
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        void PostalMime.parse(Buffer.concat(chunks)).then((letter) => {
          taken.letters.push(letter);
          taken.recipients.push(...session.envelope.rcptTo.map(({ address }) => address));
          done();
        });
      });
    },
  });
  server.on('error', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  taken.url = `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`;
  taken.close = () => new Promise((resolve) => server.close(() => resolve()));
  return taken;
}

function recordingLog(): Log & { lines: { level: string; fields: LogFields; message: string }[] } {
  const lines: { level: string; fields: LogFields; message: string }[] = [];
  const at = (level: string) => (fields: LogFields, message: string) => void lines.push({ level, fields, message });
  return { lines, debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

const open: (() => Promise<unknown>)[] = [];
let database: TestDatabase;
beforeAll(async () => {
  database = await cloneDatabase();
});
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});
afterAll(() => database.drop());

/** Without the mail of earlier tests. */
async function servicesWith(smtpUrl: string, log?: Log): Promise<Services> {
  const SMTP_CA = join(testEnvironment().dir, 'pki', 'ca.crt');
  const env = { SMTP_URL: smtpUrl, SMTP_CA, MAIL_FROM: FROM, RINGFENCE_PUBLIC_URL: 'https://money.example/' };
  const services = await openTestServices(database.url, { env, ...(log ? { log } : {}) });
  open.push(() => services.close());
  await sqlOf(services).run('delete from mail_messages');
  return services;
}

/** With a mail about a forgotten password that waits. */
async function withMail(smtpUrl: string, { log, address }: { log?: Log; address?: string } = {}) {
  const services = await servicesWith(smtpUrl, log);
  const user = await newUser(services, address);
  await signInOf(services).requestPasswordReset({ email: user.email });
  return { services, ...user };
}

async function smtp(options?: Parameters<typeof startSmtp>[0]): Promise<Server> {
  const server = await startSmtp(options);
  open.push(() => server.close());
  return server;
}

let counter = 0;
async function newUser(services: Services, email = `mail-${(counter += 1)}@example.org`) {
  const { user_id: userId } = await accountsOf(services).registerUser({ email, password: 'seven green lanterns' });
  await services.db.run(markProved(userId));
  // The email about the registration would count too.
  await sqlOf(services).run('delete from mail_messages where user_id = $1', [userId]);
  return { userId, email };
}

const due = (services: Services) =>
  sqlOf(services).run(`update mail_messages set available_at = now() - interval '1 second'`);
const waiting = (services: Services) =>
  sqlOf(services).many<{ attempts: number }>('select attempts from mail_messages');

describe('by SMTP', () => {
  test('a mail is plain text to the address alone, with the link on its own line', async () => {
    const server = await smtp();
    const { services, email } = await withMail(server.url);
    expect(await sendAllMail(services)).toBe(1);
    expect(server.recipients).toEqual([email]);
    const [letter] = server.letters;
    expect(letter).toMatchObject({
      from: { name: 'Ringfence', address: 'no-reply@ringfence.example' },
      to: [{ address: email }],
      subject: 'Set a new Ringfence password',
      attachments: [],
    });
    expect(letter!.html).toBeUndefined();
    expect(letter!.messageId).toMatch(/^<.+@.+>$/);
    const link = new URL(linkIn(letter!.text!)!);
    expect(link.origin + link.pathname).toBe('https://money.example/api/v1/auth/reset-password');
    const { describeReset } = signInOf(services);
    expect(await describeReset({ token: link.searchParams.get('token')! })).toEqual({ email, proved: true });
    expect(await waiting(services)).toEqual([]);
  });

  test('an address in another script is used unchanged', async () => {
    const server = await smtp();
    const { services, email } = await withMail(server.url, { address: 'zoë@example.org' });
    expect(await sendAllMail(services)).toBe(1);
    expect(server.recipients).toEqual([email]);
  });

  test.each(['smtp', 'smtps'])(
    '%s: over TLS to a server with a trusted certificate, with a password',
    async (scheme) => {
      const given: unknown[] = [];
      const server = await smtp({
        secure: scheme === 'smtps',
        disabledCommands: [],
        onAuth({ username, password }, session, done) {
          given.push([username, password, session.secure]);
          done(null, { user: username });
        },
      });
      const { services } = await withMail(server.url.replace('smtp://127.0.0.1', `${scheme}://post:office@localhost`));
      expect(await sendAllMail(services)).toBe(1);
      expect(given).toEqual([['post', 'office', true]]);
    },
  );

  test('a server without TLS, or with a certificate of another authority, gets no mail and no password', async () => {
    const asked: unknown[] = [];
    const onAuth: SMTPServerOptions['onAuth'] = ({ username }, _session, done) => {
      asked.push(username);
      done(null, { user: username });
    };
    const clear = await smtp({ disabledCommands: ['STARTTLS'], allowInsecureAuth: true, onAuth });
    const stranger = await smtp({
      ...(await asTls(await certify({ name: 'localhost' }))),
      disabledCommands: [],
      onAuth,
    });
    for (const server of [clear, stranger]) {
      const { services } = await withMail(server.url.replace('smtp://127.0.0.1', 'smtp://post:office@localhost'));
      expect(await sendAllMail(services)).toBe(0);
      expect(await waiting(services)).toEqual([{ attempts: 1 }]);
      expect([server.sessions > 0, server.letters, asked]).toEqual([true, [], []]);
    }
  });

  test('a server that refuses twice and then accepts gets the mail once, with a working link', async () => {
    const server = await smtp({ refusals: 2 });
    const log = recordingLog();
    const { services, email } = await withMail(server.url, { log });
    for (const attempts of [1, 2]) {
      expect(await sendAllMail(services)).toBe(0);
      expect(await waiting(services)).toEqual([{ attempts }]);
      expect(await sendAllMail(services)).toBe(0);
      await due(services);
    }
    expect(await sendAllMail(services)).toBe(1);
    await due(services);
    expect(await sendAllMail(services)).toBe(0);
    expect(server.letters).toHaveLength(1);
    const token = new URL(linkIn(server.letters[0]!.text!)!).searchParams.get('token')!;
    await signInOf(services).resetPassword({ token, password: 'nine quiet harbours' });
    const told = JSON.stringify(log.lines);
    expect(told).toContain('EENVELOPE');
    for (const secret of [email, token, 'example.org']) expect(told).not.toContain(secret);
  });

  test('waits longer after each refusal, and gives up after 30 minutes with a warning that names nobody', async () => {
    const server = await smtp({ refusals: 1_000 });
    const log = recordingLog();
    const { services, email } = await withMail(server.url, { log });
    const rests: number[] = [];
    for (let i = 0; i < 8; i += 1) {
      await sendAllMail(services);
      const [row] = await sqlOf(services).many<{ rest: number }>(
        'select extract(epoch from available_at - now())::int as rest from mail_messages',
      );
      rests.push(row!.rest);
      await due(services);
    }
    expect(rests).toEqual([...rests].sort((a, b) => a - b));
    expect(rests[0]).toBeLessThanOrEqual(5);
    expect(rests.at(-1)).toBeGreaterThan(290);
    expect(log.lines.filter(({ level }) => level === 'warn')).toEqual([]);
    await sqlOf(services).run(`update mail_messages set created_at = now() - interval '31 minutes'`);
    await sendAllMail(services);
    expect(await waiting(services)).toEqual([]);
    expect(log.lines.filter(({ level }) => level === 'warn')).toEqual([
      {
        level: 'warn',
        fields: {
          mail_id: expect.any(Number) as number,
          kind: 'password-reset',
          attempts: 9,
          reason: expect.stringContaining('EENVELOPE') as string,
        },
        message: 'an email could not be sent for 30 minutes; dropped',
      },
    ]);
    expect(JSON.stringify(log.lines)).not.toContain(email);
    expect(server.letters).toEqual([]);
  });

  test('a mailer whose CA file was missing sends as soon as the file is there', async () => {
    const server = await smtp();
    const smtpCa = join(testEnvironment().dir, `late-${randomUUID()}.crt`);
    const config = { smtpUrl: server.url, smtpCa, from: FROM, outboxDir: testEnvironment().dir };
    const letter = { to: 'late@example.org', subject: 'Late', text: 'Late' };
    const mailer = openMailer(config);
    await expect(mailer.send(letter)).rejects.toMatchObject({ code: 'ENOENT' });
    await copyFile(join(testEnvironment().dir, 'pki', 'ca.crt'), smtpCa);
    await mailer.send(letter);
    expect(server.recipients).toEqual(['late@example.org']);
  });

  test('several processes that send at the same time send each mail once', async () => {
    const server = await smtp();
    const services = await servicesWith(server.url);
    const users = await Promise.all(Array.from({ length: 25 }, () => newUser(services)));
    for (const { userId } of users) await queueMail(services.db, { kind: 'password-changed', userId, data: {} });
    const processes = await Promise.all([sendAllMail(services), sendAllMail(services), sendAllMail(services)]);
    expect(processes.reduce((sum, sent) => sum + sent, 0)).toBe(25);
    expect([...server.recipients].sort()).toEqual(users.map(({ email }) => email).sort());
  });

  test('the mail of a crashed process is sent by another when the lease expires', async () => {
    const server = await smtp();
    const services = await servicesWith(server.url);
    const { userId } = await newUser(services);
    await queueMail(services.db, { kind: 'password-changed', userId, data: {} });
    await sqlOf(services).run(`update mail_messages set attempts = 1, available_at = now() + interval '120 seconds'`);
    expect(await sendAllMail(services)).toBe(0);
    await due(services);
    expect(await sendAllMail(services)).toBe(1);
  });

  test('mail to an unknown or erased address is dropped', async () => {
    const server = await smtp();
    const services = await servicesWith(server.url);
    const { userId } = await newUser(services);
    await queueMail(services.db, { kind: 'password-reset', userId: null, data: {} });
    await queueMail(services.db, { kind: 'password-changed', userId: 'usr_gone', data: {} });
    await queueMail(services.db, { kind: 'password-changed', userId, data: {} });
    await sqlOf(services).run('update vault_records set sealed = null, erased_at = now() where owner_id = $1', [
      userId,
    ]);
    expect(await sendAllMail(services)).toBe(0);
    expect(await waiting(services)).toEqual([]);
    expect(server.sessions).toBe(0);
  });

  test('the mail task sends a mail as soon as it is queued, and stops on request', async () => {
    const server = await smtp();
    const services = await servicesWith(server.url);
    const { userId } = await newUser(services);
    // The pause is longer than this test, so only the notification of a new email can wake the task.
    const task = startMailTask(services, signInOf(services), { pauseMs: 600_000 });
    for (const letters of [1, 2]) {
      await queueMail(services.db, { kind: 'password-changed', userId, data: {} });
      await until(() => server.letters.length === letters, 'the letter');
    }
    await task.stop();
    await queueMail(services.db, { kind: 'password-changed', userId, data: {} });
    await sleep(300);
    expect(server.letters).toHaveLength(2);
  });
});

test('without SMTP, a mail is a file that every mail program opens, with a link that is complete as text', async () => {
  const services = await openTestServices(database.url, { env: { MAIL_FROM: FROM } });
  open.push(() => services.close());
  const { userId, email } = await newUser(services);
  await queueMail(services.db, { kind: 'sign-in-linked', userId, data: { provider_name: 'Größe' } });
  await sendAllMail(services);
  const [letter, ...more] = await lettersTo(services, email);
  expect(more).toEqual([]);
  expect(letter).toMatchObject({
    from: { address: 'no-reply@ringfence.example' },
    to: [{ address: email }],
    subject: 'A new way to sign in to Ringfence',
  });
  expect(letter!.text).toContain('sign in to your Ringfence account with Größe');
  expect(letter!.text).toContain(`\n${services.config.api.publicUrl}/api/v1/auth/forgot-password\n`);

  const other = await newUser(services);
  await signInOf(services).requestPasswordReset({ email: other.email });
  await sendAllMail(services);
  const dir = services.config.mail.outboxDir;
  const texts = readdirSync(dir).map((file) => readFileSync(join(dir, file), 'utf8'));
  const lines = texts.find((text) => text.includes(other.email))!.split('\r\n');
  const link = `${services.config.api.publicUrl}/api/v1/auth/reset-password?token=`;
  expect(lines.find((line) => line.startsWith(link))?.slice(link.length)).toMatch(/^rf_pr_[\w-]{43}$/);
});

test('every letter says what happened and what to do, with one address, on a line of its own', () => {
  const publicUrl = 'https://money.example';
  const link = `${publicUrl}/api/v1/auth/reset-password?token=rf_pr_x`;
  const letters = [
    LETTERS['password-reset']({ link, minutes: 30 }),
    LETTERS['password-changed']({ publicUrl }),
    LETTERS['sign-in-linked']({ publicUrl, identityProviderName: 'Example ID' }),
    LETTERS['email-verification']({ link, hours: 24 }),
    LETTERS['provider-link']({ link, minutes: 30, identityProviderName: 'Example ID' }),
  ];
  for (const { subject, text } of letters) {
    expect(subject).toMatch(/^[\x20-\x7e]{10,60}$/);
    expect(text.split('\n').filter((line) => line.includes('://'))).toHaveLength(1);
    expect(text.split('\n').filter((line) => /^https:\/\/\S+$/.test(line))).toHaveLength(1);
    expect(text).toMatch(/not (ask|you)/);
  }
});
