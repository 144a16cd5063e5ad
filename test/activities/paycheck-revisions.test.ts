import { type PaycheckRequest } from '../../activities/paycheck/index.ts';
import { accrueEach } from '../../activities/yield/batch.ts';
import type { Principal } from '../../domain/auth.ts';
import type { VaultType } from '../../domain/ledger.ts';
import { accountsOf, allocationsOf, interestOf, paychecksOf, paymentsOf } from '../helpers/activities.ts';
import { movableClock } from '../helpers/clock.ts';
import { withDatabase } from '../helpers/database.ts';
import { evidenceOf, expectSoundLedger } from '../helpers/money.ts';
import { playedBank } from '../helpers/played-bank.ts';
import { withProductionKeys } from '../helpers/production-keys.ts';
import { outcomeOf } from '../helpers/refusal.ts';

/* A smaller income must not leave the operator with payments, or interest, that the income paid for. */

const bank = playedBank();
const clock = movableClock();
const env = withProductionKeys({ YIELD_RATE_SAVINGS: '0.05' });
const services = withDatabase({ bank, clock, env });
const paychecks = paychecksOf(services);
const allocations = allocationsOf(services);
const yields = interestOf(services);
const payments = paymentsOf(services);
const auth = accountsOf(services);
const LIMIT = 10_000;
let owners = 0;
let app = '';
let other: Principal;
let provider_id = '';

async function payroll(limit = LIMIT): Promise<Principal> {
  const { key } = await auth.issueApiKey({
    app_id: app,
    scopes: ['write:paycheck', 'write:payments', 'assert:income'],
    income_limits: { perOwner: limit, perMonth: limit },
  });
  return auth.authenticate({ token: key });
}

beforeAll(async () => {
  app = (await auth.createApplication({ name: 'Employer' })).app_id;
  const { key } = await auth.issueApiKey({ app_id: app, scopes: ['write:paycheck', 'write:payments'] });
  other = await auth.authenticate({ token: key });
  const payee = { name: 'Energy Ltd', category: 'UTILITIES', sort_code: '401276', account_number: '12345678' } as const;
  provider_id = (await payments.addProvider({ principal: other, ...payee })).provider_id;
});
beforeEach(() => {
  bank.answers = [];
  bank.says = { status: 'ACSP', reason: null, returned: null };
  clock.set('2026-11-24T12:00:00Z');
});
afterEach(() => expectSoundLedger(services, { clockGoesBack: true }));

const newOwner = () => `revised-${(owners += 1)}`;

const calculate = (
  principal: Principal,
  employee_id: string,
  gross_pay: number,
  more: Partial<PaycheckRequest> & { category?: VaultType } = {},
) => {
  const { category = 'FIXED', ...changes } = more;
  return paychecks.calculatePaycheck({
    ...{ principal, employee_id, gross_pay, obligations: [] },
    ...(category !== 'FIXED' && { obligations: [{ type: 'Pot', amount: gross_pay, category }] }),
    pay_date: '2026-11-24',
    buffer_rate: '0',
    newOwner: { ownerId: employee_id, appId: app },
    ...changes,
  });
};

/** An allocation of income that nobody asserted. */
async function statedLot(owner: string, amount = LIMIT) {
  const obligations = [{ type: 'Bills', amount, category: 'FIXED' } as const];
  const { vaults } = await calculate(other, owner, amount, { obligations, pay_date: '2026-11-20' });
  return vaults[0]!.allocation_id;
}

const pay = (vault_allocation_id: string, amount: number, more: { execute_on?: string } = {}) =>
  payments.executePayment({ principal: other, vault_allocation_id, amount, currency: 'GBP', provider_id, ...more });
const refusal = async (work: Promise<unknown>) => {
  const { code, extra } = await outcomeOf(work);
  return { code, ...extra };
};
const committed = (amount: number, shortfall: number) => ({
  code: 'paycheck-already-committed',
  committed: amount,
  shortfall,
});
const beyondMonth = (asserted: number) => ({ code: 'exceeds-income-limit', limit: LIMIT, asserted, scope: 'month' });

describe('in production, an asserted income', () => {
  test('that was spent from other money cannot be withdrawn, so its key cannot assert it again', async () => {
    const [key, owner] = [await payroll(), newOwner()];
    const lot = await statedLot(owner);
    await calculate(key, owner, LIMIT);
    await pay(lot, LIMIT);
    expect(await refusal(calculate(key, owner, 1))).toEqual(committed(LIMIT, LIMIT - 1));
    expect(await refusal(calculate(key, newOwner(), 1))).toEqual(beyondMonth(LIMIT));
  });

  test('can be reduced to what payments need, to the penny', async () => {
    const [key, owner] = [await payroll(), newOwner()];
    const lot = await statedLot(owner);
    await calculate(key, owner, 4_000, { pay_date: '2026-11-10' });
    await calculate(key, owner, 6_000);
    await pay(lot, 1_000);
    await pay(lot, 8_000, { execute_on: '2026-12-01' });
    expect(await refusal(calculate(key, owner, 4_999))).toEqual(committed(5_000, 1));
    expect(await calculate(key, owner, 5_000)).toMatchObject({ revision: 2 });
    expect(await calculate(key, newOwner(), 1_000)).toMatchObject({ income_evidence: 'asserted' });
  });

  test('cannot be replaced by the income of a document if payments need it', async () => {
    const [key, owner] = [await payroll(), newOwner()];
    const lot = await statedLot(owner);
    await calculate(key, owner, LIMIT);
    const payslip = { payslip_doc_id: 'doc_any', document_period: { from: '2026-11-01', to: '2026-11-30' } };
    await pay(lot, 1);
    expect(await refusal(calculate(key, owner, LIMIT, payslip))).toEqual(committed(1, 1));
  });

  test('cannot be replaced by the income of a document if interest on it was spent', async () => {
    const [key, owner] = [await payroll(), newOwner()];
    clock.set('2025-11-24T12:00:00Z');
    const { vaults } = await calculate(key, owner, LIMIT, { category: 'SAVINGS', pay_date: '2025-11-24' });
    clock.set('2026-11-24T12:00:00Z');
    await yields.accrueYield({ vault_id: vaults[0]!.vault_id });
    const second = await calculate(key, owner, 1_000, { category: 'SAVINGS' });
    await pay(vaults[0]!.allocation_id, LIMIT);
    await pay(second.vaults[0]!.allocation_id, 100);
    const payslip = { payslip_doc_id: 'doc_of_saver', document_period: { from: '2026-11-01', to: '2026-11-30' } };
    expect(await refusal(calculate(key, owner, 1_000, { category: 'SAVINGS', ...payslip }))).toEqual(
      committed(100, 100),
    );
  });

  test('can be withdrawn once the payment has failed, and then the payment cannot be retried', async () => {
    const [key, owner] = [await payroll(), newOwner()];
    const lot = await statedLot(owner);
    await calculate(key, owner, LIMIT);
    const { payment_id } = await pay(lot, LIMIT);
    bank.answers = [{ kind: 'refused', reason: { code: 'AM04', detail: 'no funds' } }];
    await payments.submitPayment({ payment_id, attempt: 1, settle_within_ms: 0 });
    await calculate(key, owner, 1);
    expect(await refusal(payments.retryPayment({ principal: other, payment_id }))).toMatchObject({
      code: 'income-not-evidenced',
    });
  });

  test('that is withdrawn while it is spent stays, or pays nothing', async () => {
    for (let round = 0; round < 5; round += 1) {
      const [key, owner] = [await payroll(), newOwner()];
      const lot = await statedLot(owner);
      await calculate(key, owner, LIMIT);
      await Promise.all([
        ...Array.from({ length: 10 }, () => refusal(pay(lot, LIMIT / 10))),
        refusal(calculate(key, owner, LIMIT / 2)),
        refusal(calculate(key, owner, 1)),
      ]);
      const { evidenced, spent } = await evidenceOf(services, owner);
      expect(spent).toBeLessThanOrEqual(evidenced);
    }
  });
});

describe('a reduction counts towards the limit of a key', () => {
  test('only if the key itself asserted the income', async () => {
    const [first, second, owner] = [await payroll(), await payroll(), newOwner()];
    await calculate(first, owner, LIMIT);
    await calculate(second, owner, LIMIT, { pay_date: '2026-11-10' });
    await calculate(second, owner, LIMIT);
    await calculate(second, owner, 1);
    expect(await refusal(calculate(second, newOwner(), 1))).toEqual(beyondMonth(LIMIT));
    expect(await refusal(calculate(first, newOwner(), 1))).toEqual(beyondMonth(LIMIT));
  });

  test('only up to the part that the key itself asserted', async () => {
    const [first, second, owner] = [await payroll(), await payroll(), newOwner()];
    await calculate(first, owner, 6_000);
    await calculate(second, owner, LIMIT);
    await calculate(second, owner, 1);
    expect(await refusal(calculate(second, newOwner(), LIMIT + 1))).toMatchObject({ asserted: 0, scope: 'owner' });
    expect(await refusal(calculate(first, newOwner(), LIMIT))).toEqual(beyondMonth(6_000));
  });

  test('only if the key asserted the income in the same month', async () => {
    const [key, owner] = [await payroll(), newOwner()];
    clock.set('2026-10-31T12:00:00Z');
    await calculate(key, owner, LIMIT, { pay_date: '2026-10-31' });
    clock.set('2026-11-24T12:00:00Z');
    await calculate(key, newOwner(), LIMIT);
    await calculate(key, owner, 1, { pay_date: '2026-10-31' });
    expect(await refusal(calculate(key, newOwner(), 1))).toEqual(beyondMonth(LIMIT));
  });
});

describe('an income that earns interest', () => {
  const accrued = (gross_income: number) => ({ code: 'paycheck-already-accrued', gross_income });
  const second = { pay_date: '2026-11-02' };
  const saved = (owner: string, amount: number, more: Partial<PaycheckRequest> = {}) =>
    calculate(other, owner, amount, { category: 'SAVINGS', ...more });
  const save = async (user_id: string, amount: number) =>
    (await allocations.allocate({ user_id, vault_type: 'SAVINGS', amount })).vault_id;
  const noon = (day: string) => clock.set(`${day}T12:00:00Z`);
  let owner = '';
  beforeEach(() => {
    owner = newOwner();
    noon('2026-11-02');
  });

  test('cannot be reduced after a night in a vault that earns interest', async () => {
    clock.set('2026-11-02T23:59:00Z');
    await saved(owner, 100_000_000_000, second);
    clock.set('2026-11-03T00:01:00Z');
    expect(await refusal(saved(owner, 100, second))).toEqual(accrued(100_000_000_000));
    expect(await saved(owner, 100_000_000_001, second)).toMatchObject({ revision: 2 });
  });

  test('cannot be reduced after its money left that vault', async () => {
    await calculate(other, owner, 10_000, second);
    const vault_id = await save(owner, 10_000);
    noon('2026-11-30');
    await allocations.withdraw({ user_id: owner, vault_id, amount: 10_000 });
    expect(await refusal(calculate(other, owner, 1, second))).toEqual(accrued(10_000));
  });

  test('can be reduced on the London day of its first calculation, whatever lay in the vault or was posted before', async () => {
    for (const posts of [false, true]) {
      const saver = newOwner();
      noon('2026-11-02');
      const { vaults } = await saved(saver, 10_000, second);
      clock.set('2026-11-24T00:01:00Z');
      if (posts) await yields.accrueYield({ vault_id: vaults[0]!.vault_id });
      await saved(saver, 100_000_000_000);
      clock.set('2026-11-24T23:59:00Z');
      expect(await saved(saver, 100)).toMatchObject({ revision: 2 });
    }
  });

  test('can be reduced if only older savings have earned interest', async () => {
    await saved(owner, 10_000, second);
    noon('2026-11-24');
    await calculate(other, owner, 5_000);
    noon('2026-11-26');
    expect(await calculate(other, owner, 4_000)).toMatchObject({ revision: 2 });
    expect(await refusal(saved(owner, 9_000, second))).toEqual(accrued(10_000));
  });

  test('can be reduced if its day is the first after the interest of older savings', async () => {
    await calculate(other, owner, 1_000_000, second);
    const vault_id = await save(owner, 1_000_000);
    noon('2027-01-01');
    // Posts the interest of two months.
    const run = { to: '2027-01-01', patienceMs: () => 0 };
    expect(await accrueEach(services, [vault_id], run)).toMatchObject({ accruals: 2 });
    await calculate(other, owner, 5_000, { pay_date: '2027-01-01' });
    noon('2027-01-02');
    expect(await calculate(other, owner, 4_000, { pay_date: '2027-01-01' })).toMatchObject({ revision: 2 });
  });

  describe('in place of older savings that left the vault on the same day', () => {
    const pot = { obligations: [{ type: 'Pot', amount: 10_000, category: 'SAVINGS' as const }] };
    const replaced = async (gross = 10_000) => {
      await saved(owner, 10_000, second);
      noon('2026-11-24');
      const { vaults } = await calculate(other, owner, gross, pot);
      const { vault_id, allocation_id } = vaults[0]!;
      return { user_id: owner, vault_id, allocation_id };
    };

    test('cannot be reduced after a night', async () => {
      const { user_id, vault_id } = await replaced();
      await allocations.withdraw({ user_id, vault_id, amount: 10_000 });
      clock.set('2026-11-24T23:59:00Z');
      expect(await calculate(other, owner, 9_000)).toMatchObject({ revision: 2 });
      await calculate(other, owner, 10_000, pot);
      noon('2026-11-27');
      expect(await refusal(calculate(other, owner, 1))).toEqual(accrued(10_000));
    });

    test('cannot be reduced after its money left that vault', async () => {
      const { user_id, vault_id, allocation_id } = await replaced(20_000);
      await allocations.withdraw({ user_id, vault_id, amount: 10_000 });
      noon('2026-11-25');
      await allocations.withdraw({ user_id, vault_id, amount: 10_000, allocation_id });
      noon('2026-11-27');
      expect(await refusal(calculate(other, owner, 10_000, pot))).toEqual(accrued(20_000));
    });

    test('cannot be reduced after a revision took its money out of that vault', async () => {
      const { user_id, vault_id } = await replaced();
      await allocations.withdraw({ user_id, vault_id, amount: 10_000 });
      noon('2026-11-25');
      await calculate(other, owner, 10_000);
      noon('2026-11-27');
      expect(await refusal(calculate(other, owner, 1))).toEqual(accrued(10_000));
    });

    test('can be reduced if its own money left that vault before the night', async () => {
      await allocations.withdraw({ ...(await replaced(20_000)), amount: 10_000 });
      noon('2026-11-27');
      expect(await calculate(other, owner, 15_000, pot)).toMatchObject({ revision: 2 });
    });
  });

  test('can be reduced if its vaults earn nothing, or its vault was empty every night', async () => {
    const bills = (['FIXED', 'DISCRETIONARY'] as const).map((category) => ({ type: 'Bill', amount: 5_000, category }));
    await calculate(other, owner, 10_000, { obligations: bills, ...second });
    const saver = newOwner();
    await calculate(other, saver, 10_000, second);
    const vault_id = await save(saver, 10_000);
    await allocations.withdraw({ user_id: saver, vault_id, amount: 10_000 });
    noon('2026-11-30');
    for (const id of [owner, saver]) expect(await calculate(other, id, 1, second)).toMatchObject({ revision: 2 });
  });
});
