import { generateKeyPairSync, webcrypto } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import jsqr from 'jsqr';
import sharp from 'sharp';
import type { MonthOfPayments } from '../../domain/credential.ts';
import { PAYEE_CATEGORIES } from '../../domain/payments.ts';
import { renderCredentialPdf } from '../../infra/pdf/credential.ts';
import type { CredentialPdfInput } from '../../infra/pdf/sheet.ts';
import { ensurePki, loadX509 } from '../../infra/keys/pki.ts';
import { poppler, pyhanko } from '../helpers/pdf-tools.ts';

const CATEGORIES = [...PAYEE_CATEGORIES];
const ID = 'cred_0190a6b2-7c1d-7e3f-8a4b-5c6d7e8f9a0b';
const LONG_ORIGIN = 'https://reliability.payments.example-housing-association.org.uk/ringfence';

let dir: string;
let signing: CredentialPdfInput['signing'];
/** Drawn from what is usual. */
let usual: { file: string; pdf: Buffer };

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'ringfence-pdf-'));
  await ensurePki(dir);
  const read = (name: string) => readFile(join(dir, name), 'utf8');
  signing = { certificate: await read('credential-signing.crt'), key: await read('credential-signing.key') };
  usual = await draw();
});
afterAll(() => rm(dir, { recursive: true }));

function monthsUntil(last: string, count: number, of: (index: number) => [onTime: number, missed: number]) {
  const end = new Date(last);
  return Array.from({ length: count }, (_, index): MonthOfPayments => {
    const month = new Date(Date.UTC(end.getUTCFullYear(), end.getUTCMonth() - (count - 1 - index), 1));
    const [on_time, missed] = of(index);
    return { month: month.toISOString().slice(0, 7), on_time, missed };
  });
}

function input(changes: Partial<CredentialPdfInput> = {}): CredentialPdfInput {
  return {
    credential_id: ID,
    user_id: 'usr_7f3a91',
    holder: 'usr_7f3a91',
    issuer: 'https://localhost:8443',
    reliability_score: 923,
    on_time_rate: '0.9583',
    total_payments: 48,
    missed_payments: 2,
    bills: 36,
    payees: 4,
    months_covered: 12,
    total_paid: 1_284_310,
    payments_left_out: 3,
    period: '2025-11-21 to 2026-11-21',
    categories: ['HOUSING', 'UTILITIES', 'COUNCIL_TAX'],
    score_breakdown: [
      { factor: 'punctuality', value: '0.9543', points: 668, of: 700, basis: '34 of 36 bills on time' },
      { factor: 'history', value: '1.0000', points: 200, of: 200, basis: '12 months with a bill' },
      { factor: 'streak', value: '0.5500', points: 55, of: 100, basis: '6 months in a row' },
    ],
    issued_at: '2026-11-21T10:00:00.000Z',
    expires_at: '2027-02-19T10:00:00.000Z',
    months: monthsUntil('2026-11', 13, (index) => [index === 0 ? 1 : 4, index === 4 || index === 7 ? 1 : 0]),
    verify_url: `https://localhost:8443/api/v1/credential/${ID}/verify`,
    sd_jwt: `${'eyJhbGciOiJFUzI1NiJ9.'.repeat(60)}~WyJzYWx0IiwiYSIsMV0~`,
    signing,
    ...changes,
  };
}

let drawn = 0;
async function draw(changes: Partial<CredentialPdfInput> = {}): Promise<{ file: string; pdf: Buffer }> {
  const pdf = Buffer.from(await renderCredentialPdf(input(changes)));
  const file = join(dir, `credential-${(drawn += 1)}.pdf`);
  await writeFile(file, pdf);
  return { file, pdf };
}

const textOf = async (file: string) => String(await poppler('pdftotext', '-layout', file, '-'));
const signaturesOf = async (file: string) => String(await poppler('pdfsig', '-nocert', file));
const isWholeAndValid = (said: string) =>
  said.includes('Signature is Valid') && said.includes('Total document signed') && !said.includes('Signature #2');

function signedRange(pdf: Buffer): [number, number, number, number] {
  const found = /\/ByteRange \[(\d+) (\d+) (\d+) (\d+)\]/.exec(pdf.toString('latin1'))!;
  return found.slice(1).map(Number) as [number, number, number, number];
}

// In points.
async function wordsOf(file: string) {
  const html = String(await poppler('pdftotext', '-bbox', file, '-'));
  const word = /<word xMin="([\d.-]+)" yMin="([\d.-]+)" xMax="([\d.-]+)" yMax="([\d.-]+)">(.*?)<\/word>/g;
  return Array.from(html.matchAll(word), ([, left, top, right, bottom, text]) => ({
    left: Number(left),
    top: Number(top),
    right: Number(right),
    bottom: Number(bottom),
    text: text!,
  }));
}

async function qrCodeOf(file: string, dpi: number): Promise<string | undefined> {
  const picture = await poppler('pdftoppm', '-r', String(dpi), '-png', file);
  // Scanning is slow, so only the lower right of the page is scanned.
  const inches = (points: number) => Math.round((points * dpi) / 72);
  const corner = { left: inches(310), top: inches(460), width: inches(270), height: inches(230) };
  const { data, info } = await sharp(picture).extract(corner).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  const found = jsqr.default(new Uint8ClampedArray(data), info.width, info.height, { inversionAttempts: 'dontInvert' });
  return found?.data;
}

describe('the signature', () => {
  it('is valid and covers the whole file, as Poppler finds', async () => {
    const said = await signaturesOf(usual.file);
    expect(isWholeAndValid(said)).toBe(true);
    for (const words of ['Signature Type: ETSI.CAdES.detached', 'Signing Hash Algorithm: SHA-256'])
      expect(said).toContain(words);
    expect(said).toContain('Signer Certificate Common Name: Ringfence local credentials');
  });

  it('is PAdES of level B-B under the local authority, as PyHanko finds', async () => {
    const before = Date.now();
    const { file } = await draw();
    const after = Date.now();
    const [findings] = await pyhanko(join(dir, 'ca.crt'), file);
    const { signed_at, ...rest } = findings!;
    expect(rest).toEqual({
      signatures: 1,
      bottom_line: true,
      intact: true,
      valid: true,
      trusted: true,
      coverage: 'ENTIRE_FILE',
      ades: 'OK',
      sub_filter: '/ETSI.CAdES.detached',
      attributes: ['content_type', 'message_digest', 'signing_certificate_v2'],
      digest: 'sha256',
      certificates: 2,
    });
    expect(new Date(signed_at).getTime()).toBeGreaterThanOrEqual(before - 1_000);
    expect(new Date(signed_at).getTime()).toBeLessThanOrEqual(after);
  });

  it('may use RSA, whose longer signature also fits', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 3072 });
    const { X509CertificateGenerator } = await loadX509();
    const algorithm = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' };
    const key = privateKey.export({ type: 'pkcs8', format: 'der' });
    const spki = publicKey.export({ type: 'spki', format: 'der' });
    const keys = {
      privateKey: await webcrypto.subtle.importKey('pkcs8', key, algorithm, true, ['sign']),
      publicKey: await webcrypto.subtle.importKey('spki', spki, algorithm, true, ['verify']),
    };
    const made = await X509CertificateGenerator.createSelfSigned({
      name: 'CN=Example Lettings Ltd, O=Example',
      signingAlgorithm: algorithm,
      keys,
    });
    const pem = { certificate: made.toString('pem'), key: String(privateKey.export({ type: 'pkcs8', format: 'pem' })) };
    const { file } = await draw({ signing: pem });
    expect(isWholeAndValid(await signaturesOf(file))).toBe(true);
    expect(await textOf(file)).toContain('Digitally signed by Example Lettings Ltd');
  });

  it('is not made with a key that is not the certificate’s', async () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const key = String(privateKey.export({ type: 'pkcs8', format: 'pem' }));
    await expect(draw({ signing: { ...signing, key } })).rejects.toThrow('does not match its certificate');
  });

  it('is broken by any changed byte in the signed range, and does not cover data added after it', async () => {
    const { pdf } = usual;
    const [from, length, second, rest] = signedRange(pdf);
    expect([from, second + rest]).toEqual([0, pdf.length]);
    const places = fc.oneof(fc.integer({ min: 0, max: length - 1 }), fc.integer({ min: second, max: pdf.length - 1 }));
    const file = join(dir, 'changed.pdf');
    const isBroken = async (changed: Buffer) => {
      await writeFile(file, changed);
      expect(isWholeAndValid(await signaturesOf(file))).toBe(false);
    };
    const brokenAt = async (place: number, change: number) => {
      const changed = Buffer.from(pdf);
      changed[place]! ^= change;
      await isBroken(changed);
    };
    for (const place of [0, length - 1, second, pdf.length - 1]) await brokenAt(place, 1);
    await fc.assert(fc.asyncProperty(places, fc.integer({ min: 1, max: 255 }), brokenAt), { numRuns: 20 });
    await isBroken(Buffer.concat([pdf, Buffer.from('\n% more\n%%EOF\n')]));
  });

  it("is correct even if an id looks like a signature's placeholder", async () => {
    const marker = '**********';
    const holder = `a  /ByteRange [0 /${marker} /${marker} /${marker}] /Contents <00>`;
    const { file } = await draw({ holder });
    expect(isWholeAndValid(await signaturesOf(file))).toBe(true);
  });
});

describe('the page', () => {
  it('has its figures, dates, parts and ids as text', async () => {
    const text = await textOf(usual.file);
    const said = [
      'Payment reliability credential',
      'usr_7f3a91',
      '923',
      'out of 1,000',
      '95.83%',
      '668 out of 700',
      '200 out of 200',
      '55 out of 100',
      '46 of 48 payments',
      'It is not a credit score, not a decision about lending or letting',
      ID,
      '21 November 2026, 10:00 London time (2026-11-21T10:00:00Z)',
      '19 February 2027, 10:00 London time (2027-02-19T10:00:00Z)',
      '21 November 2025 to 21 November 2026 (2025-11-21 to 2026-11-21)',
      'Housing, utilities and council tax',
      'Digitally signed by Ringfence local credentials',
      'Verify at https://localhost:8443',
    ];
    for (const words of said) expect(text).toContain(words);
    expect(text).toMatch(/48\s+46\s+2\n/);
    expect(text).toMatch(/36\s+4\s+12\s+£12,843\.10\n/);
    expect(text).toContain('The operator or an application vouches for all payees. 3 other');
  });

  it('is one A4 page, tagged, in English, with a title, and marked as archivable', async () => {
    const { file, pdf } = usual;
    const info = String(await poppler('pdfinfo', file)).replace(/: +/g, ': ');
    const said = [
      'Title: Payment reliability credential\n',
      'Producer: Ringfence',
      'Tagged: yes',
      'Pages: 1\n',
      'JavaScript: no',
    ];
    for (const words of [...said, ' (A4)\n']) expect(info).toContain(words);
    const source = pdf.toString('latin1');
    const marks = ['/Lang (en-GB)', '<pdfaid:part>3</pdfaid:part>', '<pdfuaid:part>1</pdfuaid:part>'];
    for (const mark of marks) expect(source).toContain(mark);
    expect(pdf.length).toBeLessThan(250_000);
  });

  it('has a structure with each part under its heading, and text alternatives for pictures', async () => {
    const { file, pdf } = usual;
    const structure = String(await poppler('pdfinfo', '-struct-text', file));
    const order = 'H1 |Reliability score|Payments counted|Payments by month|What this says|Link|Table|Form'.split('|');
    const places = order.map((part) => structure.indexOf(part));
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(places).not.toContain(-1);
    const source = pdf.toString('latin1');
    expect(source).toContain('November 2025: 1 on time, 0 missed; ');
    expect(source).toContain('(A scale from 0 to 1,000 with the score at 923.)');
  });

  it('embeds every font, as a subset', async () => {
    const { file, pdf } = usual;
    const [, , ...fonts] = String(await poppler('pdffonts', file))
      .trim()
      .split('\n');
    expect(fonts.length).toBeGreaterThan(0);
    for (const font of fonts) expect(font).toMatch(/^[A-Z]{6}\+Inter-\w+ +CID TrueType +Identity-H +yes yes yes/);
    expect(pdf.toString('latin1')).not.toContain('Helvetica');
  });

  it('carries the SD-JWT as a file, byte for byte', async () => {
    const { file, pdf } = usual;
    const listed = String(await poppler('pdfdetach', '-list', file));
    expect(listed).toContain('1 embedded files');
    expect(listed).toContain('credential.sd-jwt');
    const saved = join(dir, 'saved.sd-jwt');
    await poppler('pdfdetach', '-save', '1', '-o', saved, file);
    expect(await readFile(saved, 'utf8')).toBe(input().sd_jwt);
    const source = pdf.toString('latin1');
    expect(source).toContain('/AFRelationship /Data');
    expect(source).toContain('/Subtype /application#2Fdc+sd-jwt');
  });

  it('has a QR code and a link to the verification, readable on screen and bad paper', async () => {
    const { file, pdf } = usual;
    expect(await qrCodeOf(file, 90)).toBe(input().verify_url);
    expect(await qrCodeOf(file, 200)).toBe(input().verify_url);
    expect(pdf.toString('latin1')).toContain(`/URI (${input().verify_url})`);
  });

  it('fits an address of twice the length into its QR code', async () => {
    const verify_url = `${LONG_ORIGIN}/api/v1/credential/${ID}/verify`;
    expect(await qrCodeOf((await draw({ verify_url })).file, 150)).toBe(verify_url);
  });
});

describe('for any input', () => {
  const extremes: [string, () => Partial<CredentialPdfInput>][] = [
    ['what is usual', () => ({})],
    [
      'one month with one payment',
      () => ({ months: monthsUntil('2026-11', 1, () => [1, 0]), total_payments: 1, missed_payments: 0 }),
    ],
    ['a score of 0, all missed', () => ({ reliability_score: 0, months: monthsUntil('2026-11', 13, () => [0, 4]) })],
    [
      'the longest id, 37 months, all categories, the full score, long addresses',
      () => ({
        holder: 'W'.repeat(128),
        reliability_score: 1_000,
        months: monthsUntil('2026-11', 37, (index) => [index * 37, index]),
        total_payments: 24_000,
        missed_payments: 666,
        categories: CATEGORIES,
        issuer: LONG_ORIGIN,
        verify_url: `${LONG_ORIGIN}/api/v1/credential/${ID}/verify`,
        sd_jwt: 'x'.repeat(20_000),
      }),
    ],
    ['an id in a script that the typeface lacks', () => ({ holder: '\u{1F600}'.repeat(128), categories: CATEGORIES })],
    [
      'hundreds of payments of which one is missed',
      () => ({ months: monthsUntil('2026-11', 13, (index) => [900, index === 5 ? 1 : 0]) }),
    ],
    ['months without payments', () => ({ months: monthsUntil('2026-11', 25, () => [0, 0]) })],
  ];

  it.each(extremes)('the PDF is one page within its margins, without overlaps: %s', async (_, changes) => {
    const { file, pdf } = await draw(changes());
    expect(String(await poppler('pdfinfo', file))).toMatch(/^Pages: +1$/m);
    expect(pdf.length).toBeLessThan(250_000);
    const words = await wordsOf(file);
    expect(words.length).toBeGreaterThan(100);
    const outside = words.filter(
      ({ left, top, right, bottom }) => left < 40 || right > 556 || top < 28 || bottom > 815,
    );
    expect(outside).toEqual([]);
    const over = words.flatMap((one, index) =>
      words
        .slice(index + 1)
        .filter((other) => overlap(one, other))
        .map((other) => [one.text, other.text]),
    );
    expect(over).toEqual([]);
    // An id that is too long to print completely is marked.
    expect(words.some(({ text }) => text === '[\u2026]')).toBe((changes().holder ?? '').startsWith('\u{1F600}'));
  });

  it('the PDF shows an id in any script: as itself, else by numbers', async () => {
    const { file, pdf } = await draw({
      holder:
        'Zo\u00eb \u0141ukasz \u03a9\u03bc\u03ad\u03b3\u03b1 \u0418\u0432\u0430\u043d Nguy\u1ec5n \u4f60\u597d  3x4 -> e\u0301',
    });
    expect(await textOf(file)).toContain(
      'Zo\u00eb \u0141ukasz \u03a9\u03bc\u03ad\u03b3\u03b1 \u0418\u0432\u0430\u043d Nguy\u1ec5n \u2039U+4F60\u203a\u2039U+597D\u203a \u2039U+0020\u203a3x4 -> \u00e9',
    );
    // The PDF also stores the original text, for screen readers and for copying.
    expect(pdf.includes(Buffer.from('\u4f60\u597d  3x4 -> e\u0301', 'utf16le').swap16())).toBe(true);
    const fonts = String(await poppler('pdffonts', file));
    expect(fonts.match(/Inter-Regular +CID TrueType +Identity-H +yes yes yes/g)!.length).toBeGreaterThan(3);
  });

  it('the chart is legible without colours: missed is lighter than on time', async () => {
    const all = async (months: MonthOfPayments[]) => {
      const picture = await poppler('pdftoppm', '-r', '72', '-gray', '-png', (await draw({ months })).file);
      const bars = await sharp(picture).extract({ left: 100, top: 400, width: 440, height: 50 }).toBuffer();
      return (await sharp(bars).stats()).channels[0]!.mean;
    };
    const onTime = await all(monthsUntil('2026-11', 13, () => [5, 0]));
    const missed = await all(monthsUntil('2026-11', 13, () => [0, 5]));
    expect(missed - onTime).toBeGreaterThan(25);
  });
});

interface Place {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

// A line's box is taller than its ink, so a small overlap is allowed.
function overlap(one: Place, other: Place): boolean {
  const width = Math.min(one.right, other.right) - Math.max(one.left, other.left);
  const height = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
  const least = Math.min(one.bottom - one.top, other.bottom - other.top);
  return width > 0.5 && height > 0.3 * least;
}
