import fc from 'fast-check';
import {
  checkBufferRate,
  covers,
  emailIdentity,
  isSameMailbox,
  mailDomainOf,
  familyExpiry,
  isEmail,
  judgeRefresh,
  LOGIN_SCOPES,
  narrowedScopes,
  normaliseEmail,
  parseScopes,
  refreshExpiry,
  SCOPES,
  type PresentedRefresh,
  type Scope,
} from '../../domain/auth.ts';
import { checkRegistration, passwordFaults, registrationFaults } from '../../domain/registration.ts';
import { DomainError, type InputFault } from '../../domain/errors.ts';

const nothingIsCommon: (identity: string) => boolean = () => false;
const EMAIL = 'ada@example.org';

function faultsOf(act: () => unknown): readonly InputFault[] {
  try {
    act();
  } catch (error) {
    if (error instanceof DomainError) return error.extra.errors as readonly InputFault[];
    throw error;
  }
  return [];
}

describe('email addresses', () => {
  test.each([
    ['  ada@example.org \n', 'ada@example.org'],
    ['\u00a0ada@example.org\u3000', 'ada@example.org'],
    ['ａｄａ＠ｅｘａｍｐｌｅ．ｏｒｇ', 'ada@example.org'],
    ['Ada@Example.org', 'Ada@Example.org'],
    ['zoe\u0308@example.org', 'zo\u00eb@example.org'],
  ])('%j is stored as %j', (given, kept) => {
    expect(normaliseEmail(given)).toBe(kept);
    expect(isEmail(kept)).toBe(true);
  });

  test.each([
    ['Ada@Example.ORG', 'ada@example.org'],
    [' ＡＤＡ@example.org', 'ada@example.org'],
    ['STRASSE@example.org', 'straße@example.org'],
    ['ΟΔΟΣ@example.org', 'οδος@example.org'],
    ['οδοσ@example.org', 'οδος@example.org'],
    ['ada@BÜCHER.example', 'ada@xn--bcher-kva.example'],
    ['ada@Пример.рф', 'ADA@XN--E1AFMKFD.XN--P1AI'],
  ])('%j and %j are one address', (one, other) => {
    expect(emailIdentity(one)).toBe(emailIdentity(other));
  });

  test.each([
    ['ada@straße.example', 'ada@strasse.example'],
    ['ada@g\u0131thub.example', 'ada@github.example'],
  ])('%j and %j are two addresses', (one, other) => {
    expect(emailIdentity(one)).not.toBe(emailIdentity(other));
  });

  test.each([
    'ada.lovelace+bills@mail.example.co.uk',
    "o'hara@example.org",
    'ada@xn--mnchen-3ya.example',
    'дарья@пример.рф',
    `${'a'.repeat(64)}@example.org`,
  ])('%j is accepted', (email) => {
    expect(isEmail(email)).toBe(true);
  });

  test.each([
    ['incomplete', ['', 'ada', '@example.org', 'ada@', 'ada@localhost', 'ada@@example.org', 'ada@bob@example.org']],
    [
      'of a wrong domain',
      ['ada@example.org.', 'ada@-example.org', 'ada@example-.org', 'ada@127.0.0.1', 'ada@example.1'],
    ],
    ['whose domain is too long in ASCII form', [`ada@${'ü'.repeat(60)}.example`]],
    ['of a wrong name', ['.ada@example.org', 'ada.@example.org', 'a..da@example.org', '"ada"@example.org']],
    ['in brackets or with spaces', ['<ada@example.org>', 'a da@example.org', 'ada@exam ple.org']],
    ['with hidden characters', ['ada@example.org\u0000', 'a@b.org\r\nBcc: bob@example.org', 'a\u200bda@example.org']],
    ['too long', ['a'.repeat(65) + '@example.org', `ada@${'a'.repeat(64)}.org`, `ada@${'abcdefghi.'.repeat(30)}org`]],
  ])('an address %s is refused', (_what, emails) => {
    for (const email of emails) expect([email, isEmail(normaliseEmail(email))]).toEqual([email, false]);
  });

  test('letter case, surrounding space and Unicode form never make another address', () => {
    fc.assert(
      fc.property(fc.emailAddress(), fc.constantFrom('NFC', 'NFD', 'NFKC', 'NFKD'), (email, form) => {
        const identity = emailIdentity(email);
        expect(emailIdentity(` ${email.toUpperCase()}\t`)).toBe(identity);
        expect(emailIdentity(email.toLowerCase().normalize(form))).toBe(identity);
        expect(emailIdentity(identity)).toBe(identity);
      }),
    );
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(normaliseEmail(normaliseEmail(text))).toBe(normaliseEmail(text));
      }),
    );
  });

  test('a hostile address is checked quickly', () => {
    // Other load on the machine does not affect processor time.
    const before = process.cpuUsage();
    for (const part of ['a', 'a.', 'a-', '-', '.', '@a', 'a@a.']) isEmail(normaliseEmail(part.repeat(50_000)));
    expect(process.cpuUsage(before).user).toBeLessThan(1_000_000);
  });
});

describe('passwords', () => {
  const faults = (password: string, isCommon = nothingIsCommon) => passwordFaults(password, EMAIL, isCommon).length;

  test.each([
    ['a'.repeat(11), 1],
    ['a'.repeat(12), 0],
    ['😀'.repeat(11), 1],
    ['😀'.repeat(256), 0],
    ['😀'.repeat(257), 1],
    ['            ', 0],
    ['nul \u0000 and bell \u0007', 0],
    ['half a \ud83d character', 1],
  ])('characters are counted as code points: %j has %d faults', (password, count) => {
    expect(faults(password)).toBe(count);
  });

  test('the address itself is refused in every spelling that belongs to the same account', () => {
    const email = 'straße-konto@example.org';
    for (const password of [
      email,
      'STRASSE-konto@example.org',
      ' strasse-KONTO@example.org ',
      'straße-konto＠example.org',
    ])
      expect(registrationFaults({ email, password }, nothingIsCommon)).toMatchObject([
        { pointer: '/password', detail: expect.stringContaining('same as the email address') as string },
      ]);
  });

  test('a common password is refused in any letter case', () => {
    expect(faults('PassWord1234', (identity) => identity === 'password1234')).toBe(1);
  });

  test('a registration names every fault at once, each with its pointer', () => {
    const found = faultsOf(() => checkRegistration({ email: 'n0b0dy', password: 'n0b0dy' }, () => true));
    expect(found.map(({ pointer }) => pointer)).toEqual(['/email', '/password', '/password', '/password']);
    expect(JSON.stringify(found)).not.toContain('n0b0dy');
  });
});

describe('buffer rates', () => {
  test.each(['0', '0.1', '0.10', '0.1234', '0.0000', '1', '1.0', '1.0000'])('%s is valid', (rate) => {
    expect(checkBufferRate(rate)).toBe(rate);
  });

  const invalid = ['', '.1', '00.1', '01', '0.', '1.', '0.12345', '1.0001', '1.1', '2', '-0.1', '+0.1', ' 0.1', '٠.١'];
  test.each([...invalid, '1e-1', '0.1\n'])('%j is invalid', (rate) => {
    expect(faultsOf(() => checkBufferRate(rate))).toEqual([expect.objectContaining({ pointer: '/buffer_rate' })]);
  });
});

describe('scopes', () => {
  test('a sign-in gives every scope but those that only an API key may have', () => {
    const withheld = SCOPES.filter((scope) => !LOGIN_SCOPES.includes(scope));
    const vault = ['read:vault', 'write:vault', 'reveal:vault'];
    expect(withheld).toEqual(['write:yield', ...vault, 'admin:audit', 'admin:owners', 'assert:income', 'vouch:payees']);
  });

  test('write implies read of the same resource and nothing else', () => {
    for (const granted of SCOPES) {
      for (const needed of SCOPES) {
        const implied =
          granted === needed || (needed.startsWith('read:') && granted === needed.replace('read:', 'write:'));
        expect(covers([granted], needed)).toBe(implied);
      }
    }
  });

  test('each listed scope counts once, with any white space between', () => {
    expect(parseScopes('  read:vault   write:debt read:vault ')).toEqual(['read:vault', 'write:debt']);
  });

  test.each(['', '  ', 'read:everything', 'read:vault constructor'])('%j is refused', (written) => {
    expect(() => parseScopes(written)).toThrow(DomainError);
  });
});

describe('refresh tokens', () => {
  const now = new Date('2026-03-01T12:00:00.000Z');
  const later = '2026-03-20T12:00:00.000Z';
  const ago = (ms: number) => new Date(now.getTime() - ms).toISOString();
  const unused = { client_id: null, ended_at: null, rotated_at: null };
  const fresh: PresentedRefresh = { ...unused, expires_at: later, family_expires_at: later };
  const late = { rotated_at: ago(30_001) };
  const ofClient = { client_id: 'client_1' };

  test.each<[string, Partial<PresentedRefresh>, string, string | undefined]>([
    ['an unused one is rotated', {}, 'rotate', undefined],
    ['one that just ended is refused', { expires_at: ago(0) }, 'refuse', undefined],
    ['one whose family just ended by time is refused', { family_expires_at: ago(0) }, 'refuse', undefined],
    ['one whose family was ended is refused', { ended_at: ago(1) }, 'refuse', undefined],
    ['one of an ended family is refused even when used again', { ...late, ended_at: ago(1) }, 'refuse', undefined],
    ['a lost reply is given again', { rotated_at: ago(1) }, 'replay', undefined],
    ['a lost reply is given again up to 30 seconds', { rotated_at: ago(30_000) }, 'replay', undefined],
    ['a use after that ends the family', late, 'end', undefined],
    ['a use after that ends the family, expired or not', { ...late, expires_at: ago(0) }, 'end', undefined],
    ['the own client is served', ofClient, 'rotate', 'client_1'],
    ['another client ends the family', ofClient, 'end', 'client_2'],
    [
      'another client ends the family within the 30 seconds too',
      { ...ofClient, rotated_at: ago(1) },
      'end',
      'client_2',
    ],
    ['a client with a token of our own sign-in ends it', {}, 'end', 'client_1'],
    ['a client must say who it is', ofClient, 'refuse', undefined],
  ])('%s', (_name, token, judgement, clientId) => {
    expect(judgeRefresh({ ...fresh, ...token }, clientId, now)).toBe(judgement);
  });

  test('each use extends the expiry by 30 days, up to 90 days of the family', () => {
    const began = new Date('2026-01-01T00:00:00.000Z');
    const end = familyExpiry(began);
    expect(end.toISOString()).toBe('2026-04-01T00:00:00.000Z');
    expect(refreshExpiry(began, end).toISOString()).toBe('2026-01-31T00:00:00.000Z');
    expect(refreshExpiry(new Date('2026-03-15T00:00:00.000Z'), end)).toEqual(end);
  });
});

const scopes = fc.subarray([...SCOPES], { minLength: 1 });

describe('narrowedScopes', () => {
  const invalid = expect.objectContaining({ code: 'invalid-scope' }) as Error;

  test('gives only granted scopes, and all requested scopes that were granted', () => {
    fc.assert(
      fc.property(scopes, scopes, (granted, asked) => {
        const narrowing = () => narrowedScopes(asked.join(' '), granted);
        if (asked.every((scope) => covers(granted, scope))) expect(narrowing()).toEqual(asked);
        else expect(narrowing).toThrow(invalid);
      }),
    );
  });

  test.each([
    ['read:debt', ['write:debt'], ['read:debt']],
    ['read:debt  read:debt', ['read:debt'], ['read:debt']],
    [' write:debt ', ['write:debt', 'read:profile'], ['write:debt']],
  ] as [string, Scope[], Scope[]][])('%j of %j is %j', (written, granted, narrowed) => {
    expect(narrowedScopes(written, granted)).toEqual(narrowed);
  });

  test.each(['', ' ', 'write:debt', 'read:debt,read:profile', 'READ:DEBT', 'read:debt\tread:profile', '__proto__'])(
    '%j of read:debt and read:profile is refused',
    (written) => {
      expect(() => narrowedScopes(written, ['read:debt', 'read:profile'])).toThrow(invalid);
    },
  );
});

describe('isSameMailbox', () => {
  test('a domain and its ASCII form are one', () => {
    expect(isSameMailbox('ada@BÜCHER.example', 'Ada@xn--bcher-kva.example')).toBe(true);
    expect(mailDomainOf('ada@BÜCHER.example')).toBe('xn--bcher-kva.example');
  });

  test('equal mailboxes have one identity, and one identity means one mailbox only if just ASCII case differs', () => {
    fc.assert(
      fc.property(fc.emailAddress(), fc.infiniteStream(fc.boolean()), (email, upper) => {
        const spelt = Array.from(email, (c) => (upper.next().value ? c.toUpperCase() : c)).join('');
        expect(isSameMailbox(email, spelt)).toBe(true);
        expect(emailIdentity(email)).toBe(emailIdentity(spelt));
      }),
    );
  });

  test.each([
    ['\u212aim@example.org', 'kim@example.org'],
    ['stra\u00dfe@example.org', 'strasse@example.org'],
    ['\u0131da@example.org', 'ida@example.org'],
  ])('%j and %j have one identity, but are two mailboxes', (one, other) => {
    expect(emailIdentity(one)).toBe(emailIdentity(other));
    expect(isSameMailbox(one, other)).toBe(false);
  });
});
