import fc from 'fast-check';
import { covers, emailIdentity, isSameMailbox, narrowedScopes, SCOPES, type Scope } from '../../domain/auth.ts';

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
