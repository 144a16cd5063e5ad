import { createHash, randomBytes } from 'node:crypto';
import { StatusList } from '@sd-jwt/jwt-status-list';
import { digest, ES256 } from '@sd-jwt/crypto-nodejs';
import { SDJwtVcInstance } from '@sd-jwt/sd-jwt-vc';
import fc from 'fast-check';
import { compactVerify, createLocalJWKSet, decodeJwt, jwtVerify } from 'jose';
import { join } from 'node:path';
import { listCredentialKeys } from '../../activities/credential/keys.ts';
import { vaultKeyActivities } from '../../activities/vault-keys.ts';
import type { DomainError } from '../../domain/errors.ts';
import { ensurePki } from '../../infra/keys/pki.ts';
import type { Services } from '../../infra/services.ts';
import { keepPdf } from '../../infra/db/queries/credential.ts';
import { LIST_SIZE } from '../../infra/credential/status-list.ts';
import { credentialsOf, paymentsOf } from '../helpers/activities.ts';
import { textQuery } from '../helpers/text-query.ts';
import { movableClock } from '../helpers/clock.ts';
import { payBill, tamper } from '../helpers/credential.ts';
import { openTestServices, withDatabase } from '../helpers/database.ts';
import { testEnvironment } from '../helpers/environment.ts';
import { anyKey, userOf } from '../helpers/money.ts';
import { ownerSql } from '../helpers/owner.ts';
import { playedBank } from '../helpers/played-bank.ts';

const MASTER_KEY_FILE = join(testEnvironment().dir, 'keys', `credential-${randomBytes(4).toString('hex')}.json`);
const clock = movableClock();
const bank = playedBank();
const services = withDatabase({ clock, bank, env: { MASTER_KEY_FILE } });
const credentials = credentialsOf(services);
const listUri = () => `${services.config.api.publicUrl}/api/v1/credential/status-lists/1`;
const NOW = '2026-11-21T09:30:00.500Z';
let owners = 0;

beforeAll(() => paymentsOf(services).ensureSandboxPayees());
beforeEach(() => clock.set(NOW));

/** The bank refuses the first of three payments. */
async function payer(): Promise<string> {
  const owner = `emp-${(owners += 1)}`;
  await payBill(services, bank, { owner, due: '2026-11-19', missed: true, payee: 'prov_sandbox_slow' });
  await payBill(services, bank, { owner, due: '2026-11-21' });
  await payBill(services, bank, { owner });
  return owner;
}

let usual: Promise<string> | undefined;

async function issued() {
  const user_id = await (usual ??= payer());
  const { credential_id } = await credentials.beginCredential({ principal: anyKey, user_id });
  await credentials.issueCredential({ credential_id });
  const exported = await credentials.exportAsJson({ credential_id });
  return { ...exported, user_id };
}

/** A tampered or unknown credential. */
const NOTHING = {
  valid: false,
  status: 'tampered',
  issuer: null,
  subject: null,
  reliability_score: null,
  period: null,
  meaning: null,
  issued_at: null,
  expires_at: null,
};
const refusal = (work: Promise<unknown>) =>
  work.then(
    () => 'nothing was refused',
    (error: unknown) => (error as DomainError).code,
  );
const eventsOf = textQuery<{ kind: string; actor: string; data: Record<string, unknown> }>(
  'test.credentialEvents',
  'select kind, actor, data from audit_events where subject = $1 order by seq',
);
const sealedKeys = textQuery<{ name: string; sealed: string }>(
  'test.sealedKeys',
  `select name, sealed from sealed_secrets where name like 'credential key %'`,
);
const fill = textQuery('test.fillList', 'update credential_status_lists set used = $2 where list_id = $1');

describe('a credential', () => {
  test('counts exactly the payments concluded in the period', async () => {
    const credential = await issued();
    // Three payments make two bills: one missed, with weight 0.5^(2/182.5), and one on time. The score is the sum of
    // 58.56 for punctuality (700 x 1/6 / 1.992433), 16.67 for history and 0 for the streak.
    expect(credential).toEqual({
      credential_id: expect.stringMatching(/^cred_[\da-f-]{36}$/) as unknown,
      user_id: credential.user_id,
      reliability_score: 75,
      on_time_rate: '0.6667',
      total_payments: 3,
      missed_payments: 1,
      bills: 2,
      payees: 2,
      months_covered: 1,
      total_paid: 2_000,
      payments_left_out: 0,
      period: '2026-11-19 to 2026-11-21',
      issued_at: '2026-11-21T09:30:00.000Z',
      expires_at: '2027-02-19T09:30:00.000Z',
      categories: expect.arrayContaining(['HOUSING', 'OTHER']) as unknown,
      score_breakdown: [
        { factor: 'punctuality', value: '0.0836', points: 58, of: 700, basis: expect.any(String) as unknown },
        { factor: 'history', value: '0.0833', points: 17, of: 200, basis: expect.any(String) as unknown },
        { factor: 'streak', value: '0.0000', points: 0, of: 100, basis: expect.any(String) as unknown },
      ],
      status: 'valid',
      verify_url: `${services.config.api.publicUrl}/api/v1/credential/${credential.credential_id}/verify`,
      sd_jwt: expect.stringMatching(/^ey[\w-]+\.[\w-]+\.[\w-]{86}(~[\w-]+){11}~$/) as unknown,
    });
  });

  test('counts by its period and categories, and is refused without any payments', async () => {
    const owner = await payer();
    clock.set('2027-01-05T12:00:00.000Z');
    const of = (more: object) => credentials.beginCredential({ principal: anyKey, user_id: owner, ...more });
    expect(await refusal(of({ period_months: 1 }))).toBe('no-payment-history');
    expect(await refusal(of({ scope: ['CREDIT'] }))).toBe('no-payment-history');
    expect(await refusal(of({ period_months: 2, scope: ['UTILITIES', 'OTHER'] }))).toBe('nothing was refused');
    expect(await refusal(credentials.beginCredential({ principal: anyKey, user_id: 'nobody' }))).toBe(
      'no-payment-history',
    );
  });

  test('counts neither own payees nor pennies, nor payments of one day as the bills of a year', async () => {
    const owner = 'usr_attacker';
    const principal = userOf(owner);
    const own = { name: 'Me Myself', category: 'HOUSING', sort_code: '401276', account_number: '31926819' } as const;
    const { provider_id } = await paymentsOf(services).addProvider({ principal, ...own });
    const pays = (more: object) => payBill(services, bank, { owner, principal, ...more });
    const begun = () => credentials.beginCredential({ principal, user_id: owner, period_months: 12 });
    for (let paid = 0; paid < 3; paid += 1) await pays({ payee: provider_id, amount: 1 });
    await pays({ amount: 99 });
    const none = { code: 'no-payment-history', extra: { payments_left_out: 3 } };
    await expect(begun()).rejects.toMatchObject(none);
    for (const due of ['2026-11-21', '2027-04-20', '2027-10-20'] as const) await pays({ due, amount: 100 });
    clock.set('2027-11-21T09:00:00.000Z');
    const { credential_id } = await begun();
    await credentials.issueCredential({ credential_id });
    const credential = await credentials.exportAsJson({ credential_id });
    expect(credential).toMatchObject({
      bills: 1,
      payees: 1,
      months_covered: 1,
      total_payments: 4,
      payments_left_out: 3,
    });
    expect(credential).toMatchObject({ total_paid: 399, period: '2026-11-21 to 2027-11-21' });
    expect(credential.reliability_score).toBeLessThanOrEqual(142);
  });

  test('is audited by ids alone when it is issued and when it is revoked', async () => {
    const { credential_id, user_id } = await issued();
    await credentials.revokeCredential({ principal: anyKey, credential_id });
    await credentials.revokeCredential({ principal: anyKey, credential_id });
    const place = { list_id: 1, list_index: expect.any(Number) as unknown };
    expect(await services.db.many(eventsOf(credential_id))).toEqual([
      {
        kind: 'credential.issued',
        actor: 'key_test',
        data: {
          owner_id: user_id,
          kid: expect.any(String) as unknown,
          expires_at: '2027-02-19T09:30:00.000Z',
          ...place,
        },
      },
      { kind: 'credential.revoked', actor: 'key_test', data: place },
    ]);
  });

  test('is signed once, however many workers try at the same time', async () => {
    const user_id = await payer();
    const { credential_id } = await credentials.beginCredential({ principal: anyKey, user_id });
    const other = await openTestServices(services.config.database.url, { clock, bank, env: { MASTER_KEY_FILE } });
    const places = [credentials, credentialsOf(other)];
    await Promise.all([...places, ...places].map((place) => place.issueCredential({ credential_id })));
    const first = await credentials.exportAsSdJwt({ credential_id });
    await credentials.issueCredential({ credential_id });
    expect(await credentials.exportAsSdJwt({ credential_id })).toBe(first);
    expect(await services.db.many(eventsOf(credential_id))).toHaveLength(1);
    await other.close();
  });

  test('is not found before it is signed', async () => {
    const user_id = await payer();
    const { credential_id } = await credentials.beginCredential({ principal: anyKey, user_id });
    expect(await refusal(credentials.verifyCredential({ credential_id }))).toBe('not-found');
    expect(await refusal(credentials.exportAsJson({ credential_id }))).toBe('not-found');
    expect(await refusal(credentials.revokeCredential({ principal: anyKey, credential_id }))).toBe('not-found');
    await credentials.issueCredential({ credential_id });
    expect((await credentials.verifyCredential({ credential_id })).valid).toBe(true);
  });

  test('whose signing never started is found and signed', async () => {
    await credentials.beginCredential({ principal: anyKey, user_id: await payer() });
    expect(await credentials.restartUnsignedCredentials({ silent_for_s: 60, limit: 10 })).toBe(0);
    clock.set('2026-11-21T09:35:00.000Z');
    expect(await credentials.restartUnsignedCredentials({ silent_for_s: 60, limit: 10 })).toBeGreaterThan(0);
  });
});

describe('the record of a credential', () => {
  test('cannot be changed, unrevoked or deleted in the database', async () => {
    const { credential_id } = await issued();
    const change = (set: string) =>
      services.db
        .run(textQuery(`test.change ${set}`, `update credentials set ${set} where credential_id = $1`)(credential_id))
        .then(
          () => 'changed',
          () => 'refused',
        );
    expect(await change('reliability_score = 999')).toBe('refused');
    await credentials.revokeCredential({ principal: anyKey, credential_id });
    expect(await change('revoked_at = null')).toBe('refused');
    const remove = textQuery('test.deleteCredential', 'delete from credentials where credential_id = $1');
    await expect(services.db.run(remove(credential_id))).rejects.toThrow();
  });

  test.each([
    'reliability_score = 999',
    `owner_id = 'somebody else'`,
    `expires_at = expires_at + interval '1 day'`,
    `on_time_rate = '1.0000'`,
    'missed_payments = 0',
    'bills = 24',
    'payees = payees + 1',
    'months_covered = 12',
    'total_paid = total_paid + 1',
    'payments_left_out = 1',
    `categories = '{OTHER}'`,
    `months = '[]'`,
    'list_index = list_index + 1',
    `score_breakdown = jsonb_set(score_breakdown, '{0,points}', '700')`,
    `sd_jwt = replace(sd_jwt, '~', '~~')`,
    `kid = 'another'`,
  ])('that was changed all the same (%s) is reported as tampered with, and is not exported', async (set) => {
    const { credential_id } = await issued();
    await tamper(services, credential_id, set);
    expect(await credentials.verifyCredential({ credential_id })).toEqual({ credential_id, ...NOTHING });
    expect(await refusal(credentials.exportAsSdJwt({ credential_id }))).toBe('credential-damaged');
    expect((await credentials.exportAsJson({ credential_id })).status).toBe('tampered');
  });
});

describe('the status of a credential', () => {
  const both = async ({ credential_id, sd_jwt }: { credential_id: string; sd_jwt: string }) => {
    const { disclosed: _disclosed, ...presented } = await credentials.verifyPresented({ credential: sd_jwt });
    const byId = await credentials.verifyCredential({ credential_id });
    expect(presented).toEqual(byId);
    return byId;
  };

  test('it is valid for 90 days by the business clock, and expired from then on', async () => {
    const credential = await issued();
    expect(await both(credential)).toEqual({
      credential_id: credential.credential_id,
      valid: true,
      status: 'valid',
      issuer: services.config.api.publicUrl,
      subject: credential.user_id,
      reliability_score: 75,
      period: '2026-11-19 to 2026-11-21',
      meaning:
        'How reliably bills were paid in the period. The score counts payments made through this service, to payees for whom its operator or an application vouches.',
      issued_at: '2026-11-21T09:30:00.000Z',
      expires_at: '2027-02-19T09:30:00.000Z',
    });
    clock.set('2027-02-19T09:29:59.999Z');
    expect(await both(credential)).toMatchObject({ valid: true, status: 'valid' });
    clock.set('2027-02-19T09:30:00.000Z');
    expect(await both(credential)).toMatchObject({ valid: false, status: 'expired', reliability_score: 75 });
    const request = { principal: anyKey, credential_id: credential.credential_id };
    expect(await refusal(credentials.exportAsSdJwt(request))).toBe('credential-expired');
    expect(await refusal(credentials.exportAsPdf(request))).toBe('credential-expired');
    expect((await credentials.exportAsJson(request)).status).toBe('expired');
  });

  test('it is revoked from that moment on, permanently', async () => {
    const credential = await issued();
    const request = { principal: anyKey, credential_id: credential.credential_id };
    await credentials.revokeCredential(request);
    expect(await both(credential)).toMatchObject({ valid: false, status: 'revoked', reliability_score: 75 });
    expect(await refusal(credentials.exportAsSdJwt(request))).toBe('credential-revoked');
    expect(await refusal(credentials.exportAsPdf(request))).toBe('credential-revoked');
    expect((await credentials.exportAsJson(request)).status).toBe('revoked');
    clock.set('2027-03-01T00:00:00.000Z');
    expect(await both(credential)).toMatchObject({ status: 'revoked' });
  });
});

describe('a signed PDF', () => {
  let drawn = 0;
  const threads: Services['threads'] = {
    ...{ close: () => services.threads.close() },
    run: (task, input) => {
      drawn += 1;
      return services.threads.run(task, input);
    },
  };
  const exporter = () => credentialsOf({ ...services, threads });
  const exported = async (credential_id: string, by = exporter()) =>
    Buffer.from(await by.exportAsPdf({ credential_id })).toString('latin1');
  beforeEach(() => (drawn = 0));

  test('is made once, for simultaneous exports and later ones, even of another process', async () => {
    const { credential_id } = await issued();
    const pdfs = await Promise.all(Array.from({ length: 5 }, () => exported(credential_id)));
    pdfs.push(await exported(credential_id));
    expect([drawn, new Set(pdfs).size, pdfs[0]!.slice(0, 5)]).toEqual([1, 1, '%PDF-']);
  });

  test('is made again once another certificate signs, and is gone once the credential is revoked', async () => {
    const { credential_id } = await issued();
    const before = await exported(credential_id);
    const kept = () =>
      services.db.many(textQuery('test.kept', 'select from credential_pdfs where credential_id = $1')(credential_id));
    const pki = join(testEnvironment().dir, `signer-${randomBytes(4).toString('hex')}`);
    await ensurePki(pki);
    const signing = {
      pdfCertificate: join(pki, 'credential-signing.crt'),
      pdfKey: join(pki, 'credential-signing.key'),
    };
    const config = { api: services.config.api, credentials: signing } as unknown as Services['config'];
    const after = await exported(credential_id, credentialsOf({ ...services, threads, config }));
    expect([drawn, after === before]).toEqual([2, false]);
    expect(await kept()).toHaveLength(1);
    await credentials.revokeCredential({ principal: anyKey, credential_id });
    expect(await kept()).toEqual([]);
    const drawnBefore = { credential_id, owner_id: 'any', made_from: '', pdf: Buffer.from(after) };
    await services.db.run(keepPdf(drawnBefore, 20));
    expect(await kept()).toEqual([]);
  });

  test('is not kept for the 21st credential of an owner in a day', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 21; n += 1) ids.push((await issued()).credential_id);
    await ownerSql(
      services,
      `insert into credential_pdfs
       select credential_id, owner_id, '', '', now() from credentials where credential_id = any($1::text[])`,
      [ids.slice(1)],
    );
    await exported(ids[0]!);
    await exported(ids[0]!);
    expect(drawn).toBe(2);
    await ownerSql(services, `update credential_pdfs set kept_at = now() - interval '2 days'`);
    await exported(ids[0]!);
    await exported(ids[0]!);
    expect(drawn).toBe(3);
  });
});

describe('a presented credential', () => {
  let credential: Awaited<ReturnType<typeof issued>>;
  beforeAll(async () => {
    clock.set(NOW);
    credential = await issued();
  });
  const status = async (text: string) => (await credentials.verifyPresented({ credential: text })).status;
  const outcome = (text: string) => status(text).catch((error: unknown) => (error as DomainError).code);

  test('shows exactly the disclosures that its holder chose', async () => {
    const [jwt, ...disclosures] = credential.sd_jwt.split('~').slice(0, -1);
    const nameOf = (disclosure: string) =>
      (JSON.parse(Buffer.from(disclosure, 'base64url').toString()) as string[])[1]!;
    const all: Record<string, unknown> = (await credentials.verifyPresented({ credential: credential.sd_jwt }))
      .disclosed!;
    expect(Object.keys(all).sort()).toEqual(disclosures.map(nameOf).sort());
    // For any two disclosures, these subsets include some with both, with only one, and with neither.
    const subsets = disclosures.flatMap((one) => [[one], disclosures.filter((other) => other !== one)]);
    for (const shown of [[], disclosures, ...subsets]) {
      const found = await credentials.verifyPresented({ credential: [jwt, ...shown, ''].join('~') });
      expect(found).toMatchObject({ status: 'valid', reliability_score: 75, subject: credential.user_id });
      expect(found.disclosed).toEqual(Object.fromEntries(shown.map(nameOf).map((name) => [name, all[name]])));
    }
  });

  test('is verified with any white space around and within it', async () => {
    const lines = credential.sd_jwt.match(/.{1,76}/g)!;
    for (const text of [` ${credential.sd_jwt}\n`, lines.join('\n'), lines.join('\r\n\t'), lines.join('\u00a0')])
      expect(await status(text)).toBe('valid');
  });

  test.each(['x', '   ', 'cred_01a201c7', 'https://example.org/~me', 'a.b.c', 'a.b.c~', 'e30.e30.c', '~'])(
    'that is %j is refused as none',
    async (text) => {
      expect(await outcome(text)).toBe('not-a-credential');
    },
  );

  test('with any one character replaced is reported as tampered with, or as no credential', async () => {
    const text = credential.sd_jwt;
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const replaced = (place: number, letter: string) => text.slice(0, place) + letter + text.slice(place + 1);
    await fc.assert(
      fc.asyncProperty(
        fc.nat(text.length - 1),
        fc.constantFrom(...Array.from(`${alphabet}~.+/= \u00e9`)),
        async (place, letter) => {
          fc.pre(text[place] !== letter);
          const isLetter = alphabet.includes(letter) && alphabet.includes(text[place]!);
          const wrong = isLetter ? ['tampered'] : ['tampered', 'not-a-credential'];
          expect(wrong).toContain(await outcome(replaced(place, letter)));
        },
      ),
      { numRuns: 150 },
    );
    // The last base64 characters of the signature and of most disclosures have unused bits, which decoders can ignore.
    for (const { index } of text.matchAll(/~/g)) {
      const start = Math.max(text.lastIndexOf('~', index - 1), text.lastIndexOf('.', index - 1)) + 1;
      const bytesWith = (letter: string) =>
        Buffer.from(text.slice(start, index - 1) + letter, 'base64url').toString('hex');
      const last = text[index - 1]!;
      const same = Array.from(alphabet).filter((letter) => letter !== last && bytesWith(letter) === bytesWith(last));
      for (const letter of [...same, 'A', '~', '.'].filter((one) => one !== last))
        expect(await outcome(replaced(index - 1, letter))).toMatch(/^(tampered|not-a-credential)$/);
    }
  });

  test('that was recombined or signed with another key is reported as tampered with, and a part of one is none', async () => {
    const text = credential.sd_jwt;
    const [jwt, first, ...others] = text.split('~').slice(0, -1);
    const another = await issued();
    const theirs = another.sd_jwt.split('~');
    const foreign = await ES256.generateKeyPair();
    const signer = await ES256.getSigner(foreign.privateKey);
    const saltGenerator = () => 'c2FsdA';
    const issuer = new SDJwtVcInstance({ signer, signAlg: 'ES256', hasher: digest, saltGenerator });
    const claims = decodeJwt(jwt!) as { vct: string };
    const { kid } = JSON.parse(Buffer.from(jwt!.split('.')[0]!, 'base64url').toString()) as { kid: string };
    const { token } = await credentials.readStatusList({ list_id: 1 });
    const none = Buffer.from(JSON.stringify({ alg: 'none', typ: 'dc+sd-jwt', kid })).toString('base64url');
    for (const none of [jwt!, `${text}${text}`, text.slice(0, -1), text.slice(0, 100), `${text}~`, `~${text}`])
      expect(await outcome(none)).toBe('not-a-credential');
    for (const wrong of [
      [jwt, first, first, ''].join('~'),
      [jwt, ...others, theirs[1], ''].join('~'),
      [theirs[0], first, ''].join('~'),
      `${text}${jwt}`,
      await issuer.issue(claims, undefined, { header: { kid } }),
      await issuer.issue(claims, undefined, { header: {} }),
      `${token}~`,
      `${none}.${jwt!.split('.')[1]}.${jwt!.split('.')[2]}~`,
      `${none}.${jwt!.split('.')[1]}.~`,
      'e30.e30.' + 'A'.repeat(86) + '~',
    ]) {
      const found = await credentials.verifyPresented({ credential: wrong });
      expect(found).toEqual({ credential_id: null, ...NOTHING, disclosed: null });
    }
  });
});

// By RFC 9901, without the library that issues credentials.
async function verifiedByTheRfc(sdJwt: string): Promise<Record<string, unknown>> {
  const [jwt, ...rest] = sdJwt.split('~');
  const jwks = createLocalJWKSet(await credentials.publishedKeys());
  const { payload, protectedHeader } = await jwtVerify(jwt!, jwks, {
    typ: 'dc+sd-jwt',
    algorithms: ['ES256'],
    issuer: credentials.issuerMetadata().issuer,
    currentDate: await clock.now(services.db),
  });
  expect(rest.pop()).toBe('');
  expect(protectedHeader.kid).toBeDefined();
  const { _sd, _sd_alg, ...claims } = payload as Record<string, unknown> & { _sd: string[]; _sd_alg: string };
  expect(_sd_alg).toBe('sha-256');
  for (const disclosure of rest) {
    expect(_sd).toContain(createHash('sha256').update(disclosure, 'ascii').digest('base64url'));
    const parts = JSON.parse(Buffer.from(disclosure, 'base64url').toString()) as [string, string, unknown];
    const [salt, name, value] = parts;
    expect(salt.length).toBeGreaterThanOrEqual(22);
    claims[name] = value;
  }
  return claims;
}

describe('an independent verifier', () => {
  test('finds all claims by the published key, and without disclosures only the score, subject, dates and issuer', async () => {
    const { sd_jwt, status: _status, verify_url: _url, ...issuedOne } = await issued();
    const { credential_id, user_id, issued_at, expires_at, ...figures } = issuedOne;
    const { reliability_score, ...disclosable } = figures;
    const issuedS = Date.parse(issued_at) / 1_000;
    const open = {
      iss: services.config.api.publicUrl,
      sub: user_id,
      jti: credential_id,
      vct: credentials.typeMetadata().vct,
      iat: issuedS,
      nbf: issuedS,
      exp: Date.parse(expires_at) / 1_000,
      status: { status_list: { idx: expect.any(Number) as unknown, uri: listUri() } },
      reliability_score,
    };
    expect(await verifiedByTheRfc(sd_jwt)).toEqual({ ...open, ...disclosable });
    expect(await verifiedByTheRfc(`${sd_jwt.split('~')[0]}~`)).toEqual(open);
    expect(JSON.stringify(decodeJwt(sd_jwt.split('~')[0]!))).not.toContain('total_payments');
  });

  test('refuses a credential that is revoked or expired, or whose status list is unavailable', async () => {
    const { sd_jwt, credential_id } = await issued();
    const { keys } = await credentials.publishedKeys();
    const verify = async (statusListFetcher: () => Promise<string>, at = NOW) => {
      const verifier = await ES256.getVerifier(keys[0]!);
      const instance = new SDJwtVcInstance({ hasher: digest, verifier, statusListFetcher });
      return instance.verify(sd_jwt, { currentDate: Math.floor(Date.parse(at) / 1_000) });
    };
    const list = async () => (await credentials.readStatusList({ list_id: 1 })).token;
    expect((await verify(list)).payload).toMatchObject({ reliability_score: 75 });
    await expect(verify(() => Promise.reject(new Error('away')))).rejects.toThrow('away');
    await expect(verify(async () => `${await list()}x`)).rejects.toThrow();
    await expect(verify(list, '2027-02-19T09:30:01.000Z')).rejects.toThrow('expired');
    await credentials.revokeCredential({ principal: anyKey, credential_id });
    await expect(verify(list)).rejects.toThrow('Status is not valid');
  });
});

describe('the status list', () => {
  const read = async () => {
    const { token, version } = await credentials.readStatusList({ list_id: 1 });
    const { payload, protectedHeader } = await compactVerify(
      token,
      createLocalJWKSet(await credentials.publishedKeys()),
    );
    const claims = JSON.parse(Buffer.from(payload).toString()) as {
      sub: string;
      iat: number;
      exp: number;
      ttl: number;
      status_list: { bits: 1; lst: string };
    };
    const bits = StatusList.decompressStatusList(claims.status_list.lst, claims.status_list.bits).statusList;
    return { token, version, claims, bits, typ: protectedHeader.typ };
  };
  const indexOf = ({ sd_jwt }: { sd_jwt: string }) =>
    (decodeJwt(sd_jwt.split('~')[0]!) as { status: { status_list: { idx: number } } }).status.status_list.idx;

  test('sets a credential’s bit as soon as it is revoked, and no other bit', async () => {
    const [one, other] = [await issued(), await issued()];
    const before = await read();
    expect(before.typ).toBe('statuslist+jwt');
    expect(before.bits).toHaveLength(LIST_SIZE);
    const now = Math.floor(Date.parse(NOW) / 1_000);
    expect(before.claims).toMatchObject({ sub: listUri(), iat: now, exp: now + 86_400, ttl: 60 });
    expect([before.bits[indexOf(one)], before.bits[indexOf(other)]]).toEqual([0, 0]);
    await credentials.revokeCredential({ principal: anyKey, credential_id: one.credential_id });
    const after = await read();
    expect([after.bits[indexOf(one)], after.bits[indexOf(other)]]).toEqual([1, 0]);
    const set = (bits: number[]) => bits.filter((bit) => bit === 1).length;
    expect(set(after.bits)).toBe(set(before.bits) + 1);
    expect(after.version).not.toBe(before.version);
  });

  test('is signed once for each version, and again after half of its lifetime', async () => {
    const first = await read();
    clock.set('2026-11-21T21:29:59.000Z');
    expect((await read()).token).toBe(first.token);
    clock.set('2026-11-21T21:30:01.000Z');
    const fresh = await read();
    expect(fresh.token).not.toBe(first.token);
    expect(fresh.version).not.toBe(first.version);
  });

  test('is followed by another list when half full, and gives each random place once', async () => {
    await issued();
    await services.db.run(fill(1, LIST_SIZE / 2 - 1));
    const [owner, count] = [await payer(), 12];
    const began = await Promise.all(
      Array.from({ length: count }, () => credentials.beginCredential({ principal: anyKey, user_id: owner })),
    );
    const places = await services.db.many(
      textQuery<{ list_id: number; list_index: number }>(
        'test.places',
        'select list_id, list_index from credentials where credential_id = any($1) order by seq',
      )(began.map(({ credential_id }) => credential_id)),
    );
    expect(places.filter(({ list_id }) => list_id === 1)).toHaveLength(1);
    expect(places.filter(({ list_id }) => list_id === 2)).toHaveLength(count - 1);
    expect(new Set(places.map(({ list_index }) => list_index)).size).toBe(count);
    expect(Math.max(...places.map(({ list_index }) => list_index))).toBeGreaterThan(count);
    expect((await credentials.readStatusList({ list_id: 2 })).token).toMatch(/^ey/);
    expect(await refusal(credentials.readStatusList({ list_id: 3 }))).toBe('not-found');
  });
});

describe('the keys', () => {
  describe('on a fresh database', () => {
    const first = withDatabase({ clock, bank, env: { MASTER_KEY_FILE } });

    test('two processes that sign for the first time at once share one key', async () => {
      await paymentsOf(first).ensureSandboxPayees();
      await payBill(first, bank, { owner: 'emp-first' });
      const second = await openTestServices(first.config.database.url, { clock, bank, env: { MASTER_KEY_FILE } });
      const places = [first, second, first, second].map(credentialsOf);
      const began = await Promise.all(
        places.map((place) => place.beginCredential({ principal: anyKey, user_id: 'emp-first' })),
      );
      await Promise.all(places.map((place, index) => place.issueCredential(began[index]!)));
      const { items } = await listCredentialKeys(first);
      expect(items).toMatchObject([{ status: 'current', unexpired_credentials: 4 }]);
      for (const { credential_id } of began) {
        for (const place of places)
          expect(await place.verifyCredential({ credential_id })).toMatchObject({ valid: true });
      }
      expect((await first.db.many(eventsOf('credential-key'))).map(({ kind }) => kind)).toEqual([
        'credential-key.made',
      ]);
      await second.close();
    });
  });

  test('a new key signs from the next credential on, and the old key verifies until its last credential expires', async () => {
    await credentials.rotateCredentialKey({ actor: 'operator' });
    const old = await issued();
    const { kid, retired } = await credentials.rotateCredentialKey({ actor: 'operator' });
    const next = await issued();
    const { items } = await listCredentialKeys(services);
    expect(items[0]).toMatchObject({ kid, status: 'current', retired_at: null, unexpired_credentials: 1 });
    expect(items[1]).toMatchObject({ kid: retired, status: 'retired' });
    const published = async () => (await credentials.publishedKeys()).keys.map((key) => key.kid);
    expect(await published()).toEqual(expect.arrayContaining([kid, retired]));
    expect(await verifiedByTheRfc(old.sd_jwt)).toMatchObject({ jti: old.credential_id });
    expect(await verifiedByTheRfc(next.sd_jwt)).toMatchObject({ jti: next.credential_id });
    expect((await services.db.many(sealedKeys())).map(({ name }) => name)).toEqual([`credential key ${kid}`]);
    const before = textQuery(
      'test.ageKey',
      `update credential_keys set retired_at = retired_at - interval '26 hours' where kid = $1`,
    );
    await services.db.run(before(retired));
    expect(await published()).toContain(retired);
    clock.set('2027-02-19T09:30:01.000Z');
    expect(await published()).not.toContain(retired);
    expect((await credentials.verifyCredential({ credential_id: old.credential_id })).status).toBe('expired');
  });

  test('twenty simultaneous rotations leave one signing key', async () => {
    await Promise.all(Array.from({ length: 20 }, () => credentials.rotateCredentialKey({ actor: 'operator' })));
    const { items } = await listCredentialKeys(services);
    expect(items.filter(({ status }) => status === 'current')).toHaveLength(1);
    expect(await services.db.many(sealedKeys())).toHaveLength(1);
    expect((await issued()).status).toBe('valid');
  });

  test('the private key is encrypted, and rewrapped when the master key is rotated', async () => {
    const { kid } = await credentials.rotateCredentialKey({ actor: 'operator' });
    const [before] = await services.db.many(sealedKeys());
    expect(before!.sealed).toMatch(/^\{"key":\{"version":/);
    expect(before!.sealed).not.toContain('"d"');
    const vaultKeys = vaultKeyActivities(services);
    const { version: from_version } = await vaultKeys.readMasterKey();
    const { version } = await vaultKeys.makeMasterKey({ from_version });
    await vaultKeys.rewrapPage({ table: 'sealed_secrets', version, after: null });
    const [after] = await services.db.many(sealedKeys());
    expect(JSON.parse(after!.sealed)).toMatchObject({ key: { version } });
    const fresh = credentialsOf(services);
    const { credential_id } = await fresh.beginCredential({ principal: anyKey, user_id: await payer() });
    await fresh.issueCredential({ credential_id });
    const text = await fresh.exportAsSdJwt({ credential_id });
    expect(JSON.parse(Buffer.from(text.split('.')[0]!, 'base64url').toString())).toMatchObject({ kid });
    expect(await verifiedByTheRfc(text)).toMatchObject({ jti: credential_id });
  });
});
