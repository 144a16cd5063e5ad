import fc from 'fast-check';
import {
  allocationLegs,
  destinationOf,
  periodOf,
  requireWithinVaultLimit,
  transferLegs,
  withdrawalLegs,
} from '../../domain/allocations.ts';
import { balanced } from '../../domain/ledger.ts';
import { pence } from '../../domain/money.ts';
import { refusalOf } from '../helpers/refusal.ts';

const amounts = fc.integer({ min: 1, max: 100_000_000_000 }).map(pence);

test('every movement balances between both sides', () => {
  fc.assert(
    fc.property(amounts, (amount) => {
      const all = [allocationLegs(amount, 'v', amount), withdrawalLegs(amount, 'v'), transferLegs(amount, 'v', 'w')];
      for (const legs of all) expect(balanced(legs).map((leg) => leg.amount)).toEqual([0 - amount, amount]);
    }),
  );
});

test('one penny more than is safe to spend is refused with the available amount', () => {
  fc.assert(
    fc.property(amounts, (amount) => {
      const refusal = refusalOf(() => allocationLegs(amount, 'v', pence(amount - 1)));
      expect(refusal).toMatchObject({ code: 'exceeds-safe-to-spend', extra: { safe_to_spend_available: amount - 1 } });
    }),
  );
});

test('a vault cannot transfer to itself', () => {
  expect(refusalOf(() => transferLegs(pence(1), 'v', 'v'))).toMatchObject({ code: 'same-vault' });
});

describe('the destination of a transfer', () => {
  const fixed = (label: string) => ({ vaultType: 'FIXED', label });
  test.each([
    [{ to_vault_id: 'vlt_1' }, { vaultId: 'vlt_1' }],
    [{ to_vault_type: 'FIXED' as const }, fixed('')],
    [{ to_vault_type: 'FIXED' as const, to_label: null }, fixed('')],
    [{ to_vault_type: 'FIXED' as const, to_label: 'Rent' }, fixed('Rent')],
  ])('%j is %j', (named, destination) => {
    expect(destinationOf(named)).toEqual(destination);
  });

  test.each([
    [{}, '/to_vault_id'],
    [{ to_label: 'Rent' }, '/to_vault_id'],
    [{ to_vault_id: 'vlt_1', to_vault_type: 'FIXED' as const }, '/to_vault_type'],
    [{ to_vault_id: 'vlt_1', to_label: 'Rent' }, '/to_label'],
  ])('%j is refused at %s', (named, pointer) => {
    const refusal = { code: 'invalid-request', extra: { errors: [{ pointer }] } };
    expect(refusalOf(() => destinationOf(named))).toMatchObject(refusal);
  });
});

describe('a period', () => {
  test.each([
    ['2026-07-01', '2026-07-31', '2026-06-30T23:00:00.000Z', '2026-07-31T23:00:00.000Z'],
    ['2026-10-25', '2026-10-25', '2026-10-24T23:00:00.000Z', '2026-10-26T00:00:00.000Z'],
    ['2026-01-01T12:00:00Z', '2026-01-01T12:00:00Z', '2026-01-01T12:00:00.000Z', '2026-01-01T12:00:00.001Z'],
    ['2026-01-01T12:00:00+02:00', '2026-01-02', '2026-01-01T10:00:00.000Z', '2026-01-03T00:00:00.000Z'],
  ])('of %s to %s goes from %s until before %s', (from, to, start, end) => {
    const period = periodOf(from, to);
    expect([period.start?.toISOString(), period.end?.toISOString()]).toEqual([start, end]);
  });

  test('is open without dates', () => {
    expect(periodOf(undefined, undefined)).toEqual({ start: null, end: null });
  });

  test.each(['2026-02-29', '2026-13-01', '2026-02-29T10:00:00Z', '2026-01-01T25:00:00Z', '2026-01-01T10:61:00Z'])(
    'is refused for %s, which does not exist',
    (text) => {
      expect(refusalOf(() => periodOf(text, undefined)).extra.errors).toMatchObject([{ pointer: '/query/from' }]);
      expect(refusalOf(() => periodOf(undefined, text)).extra.errors).toMatchObject([{ pointer: '/query/to' }]);
    },
  );
});

test('an owner can have 500 open vaults, and 2,000 with the closed ones', () => {
  const limitOf = (open: number, ever: number, more: number) =>
    refusalOf(() => requireWithinVaultLimit([open, ever], more)).extra.limit;
  expect([limitOf(499, 500, 2), limitOf(500, 500, 1), limitOf(0, 2_000, 1)]).toEqual([500, 500, 2_000]);
  for (const [open, ever, more] of [
    [499, 1_999, 1],
    [500, 2_000, 0],
  ] as const)
    expect(() => requireWithinVaultLimit([open, ever], more)).not.toThrow();
});
