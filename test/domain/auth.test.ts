import fc from 'fast-check';
import {
  checkBufferRate,
  covers,
  emailIdentity,
  isSameMailbox,
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
  ])('%j and %j are one address', (one, other) => {
    expect(emailIdentity(one)).toBe(emailIdentity(other));
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
    '',
    'ada',
    '@example.org',
    'ada@',
    'ada@localhost',
    'ada@example.org.',
    'ada@-example.org',
    'ada@example-.org',
    'ada@127.0.0.1',
    'ada@@example.org',
    'ada@bob@example.org',
    '.ada@example.org',
    'ada.@example.org',
    'a..da@example.org',
    'a da@example.org',
    'ada@exam ple.org',
    'ada@example.org\u0000',
    'ada@example.org\r\nBcc: bob@example.org',
    'a\u200bda@example.org',
    '"ada"@example.org',
    '<ada@example.org>',
    `${'a'.repeat(65)}@example.org`,
    `ada@${'a'.repeat(64)}.org`,
    `ada@${'abcdefghi.'.repeat(30)}org`,
  ])('%j is refused', (email) => {
    expect(isEmail(normaliseEmail(email))).toBe(false);
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

  test.each([
    '',
    '.1',
    '00.1',
    '01',
    '0.',
    '1.',
    '0.12345',
    '1.0001',
    '1.1',
    '2',
    '-0.1',
    '+0.1',
    '1e-1',
    ' 0.1',
    '0.1\n',
    '٠.١',
  ])('%j is invalid', (rate) => {
    expect(faultsOf(() => checkBufferRate(rate))).toEqual([expect.objectContaining({ pointer: '/buffer_rate' })]);
  });
});

describe('scopes', () => {
  test('a sign-in gives every scope but those that only an API key may have', () => {
    const withheld = SCOPES.filter((scope) => !LOGIN_SCOPES.includes(scope));
    expect(withheld).toEqual([
      'write:yield',
      'read:vault',
      'write:vault',
      'reveal:vault',
      'admin:audit',
      'admin:owners',
      'assert:income',
      'vouch:payees',
    ]);
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
  const fresh: PresentedRefresh = {
    client_id: null,
    expires_at: later,
    family_expires_at: later,
    ended_at: null,
    rotated_at: null,
  };

  test.each<[string, Partial<PresentedRefresh>, string | undefined, string]>([
    ['an unused one is rotated', {}, undefined, 'rotate'],
    ['one that just ended is refused', { expires_at: ago(0) }, undefined, 'refuse'],
    ['one whose family just ended by time is refused', { family_expires_at: ago(0) }, undefined, 'refuse'],
    ['one whose family was ended is refused', { ended_at: ago(1) }, undefined, 'refuse'],
    [
      'one of an ended family is refused even when used again',
      { ended_at: ago(1), rotated_at: ago(60_000) },
      undefined,
      'refuse',
    ],
    ['a lost reply is given again', { rotated_at: ago(1) }, undefined, 'replay'],
    ['a lost reply is given again up to 30 seconds', { rotated_at: ago(30_000) }, undefined, 'replay'],
    ['a use after that ends the family', { rotated_at: ago(30_001) }, undefined, 'end'],
    [
      'a use after that ends the family, expired or not',
      { rotated_at: ago(30_001), expires_at: ago(0) },
      undefined,
      'end',
    ],
    ['the own client is served', { client_id: 'client_1' }, 'client_1', 'rotate'],
    ['another client ends the family', { client_id: 'client_1' }, 'client_2', 'end'],
    [
      'another client ends the family within the 30 seconds too',
      { client_id: 'client_1', rotated_at: ago(1) },
      'client_2',
      'end',
    ],
    ['a client with a token of our own sign-in ends it', {}, 'client_1', 'end'],
    ['a client must say who it is', { client_id: 'client_1' }, undefined, 'refuse'],
  ])('%s', (_name, token, clientId, judgement) => {
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
  test('gives only granted scopes, and all requested scopes that were granted', () => {
    fc.assert(
      fc.property(scopes, scopes, (granted, asked) => {
        const isCovered = asked.every((scope) => covers(granted, scope));
        if (isCovered) expect(narrowedScopes(asked.join(' '), granted)).toEqual(asked);
        else
          expect(() => narrowedScopes(asked.join(' '), granted)).toThrow(
            expect.objectContaining({ code: 'invalid-scope' }),
          );
      }),
    );
  });

  test('never allows more than was granted, for any text', () => {
    fc.assert(
      fc.property(fc.string(), scopes, (written, granted) => {
        let narrowed: Scope[] = [];
        try {
          narrowed = narrowedScopes(written, granted);
        } catch (error) {
          expect(error).toMatchObject({ code: 'invalid-scope' });
        }
        for (const scope of SCOPES) if (covers(narrowed, scope)) expect(covers(granted, scope)).toBe(true);
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
      expect(() => narrowedScopes(written, ['read:debt', 'read:profile'])).toThrow(
        expect.objectContaining({ code: 'invalid-scope' }),
      );
    },
  );
});

describe('isSameMailbox', () => {
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
    ['ada@g\u0131thub.example', 'ada@github.example'],
    ['\u212aim@example.org', 'kim@example.org'],
    ['stra\u00dfe@example.org', 'strasse@example.org'],
  ])('%j and %j have one identity, but are two mailboxes', (one, other) => {
    expect(emailIdentity(one)).toBe(emailIdentity(other));
    expect(isSameMailbox(one, other)).toBe(false);
  });
});
