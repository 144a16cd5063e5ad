import fc from 'fast-check';
import { VAULT_TYPES, type VaultType } from '../../domain/ledger.ts';

/** `vault` is a vault's type and label, separated by a space. */
export type Command =
  | { kind: 'calculate'; pay_date: string; gross_pay: number; obligations: Bill[]; buffer_rate: string }
  | { kind: 'allocate'; vault_type: VaultType; label: string; amount: number }
  | { kind: 'withdraw'; vault: string; amount: number }
  | { kind: 'transfer'; vault: string; vault_type: VaultType; label: string; amount: number };

interface Bill {
  type: string;
  category: VaultType;
  amount: number;
}

/** `done`, or the code of a refusal and its other fields. */
export type Outcome = 'done' | { code: string; [figure: string]: unknown };

// Few names and small amounts let commands affect the same vaults.
const labels = fc.constantFrom('A', 'B');
const types = fc.constantFrom(...VAULT_TYPES.slice(0, 2));
const vaults = fc.tuple(types, labels).map(([type, label]) => `${type} ${label}`);
const amounts = fc.integer({ min: 1, max: 60 });

export const commands: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('calculate' as const),
      pay_date: fc.constantFrom('2026-10-31', '2026-11-30'),
      gross_pay: fc.integer({ min: 50, max: 300 }),
      obligations: fc.array(fc.record({ type: labels, category: types, amount: amounts }), { maxLength: 4 }),
      buffer_rate: fc.constantFrom('0', '0.05', '0.10', '0.3333', '1'),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('allocate' as const), vault_type: types, label: labels, amount: amounts }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('withdraw' as const), vault: vaults, amount: amounts }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('transfer' as const),
      vault: vaults,
      vault_type: types,
      label: labels,
      amount: amounts,
    }),
  },
);

interface Lot {
  amount: number;
  available: number;
}

interface Booked {
  gross: number;
  buffer: number;
  safe: number;
  bills: (Bill & { lot: Lot })[];
}

/** The simplest model of an owner's money: no double entry, no database. */
export function createModel() {
  let safe = 0;
  let buffer = 0;
  const lots = new Map<string, Lot[]>();
  const booked = new Map<string, Booked>();
  const held = (vault: string) => (lots.get(vault) ?? []).reduce((total, lot) => total + lot.available, 0);
  const put = (vault: string, amount: number): Lot => {
    const lot = { amount, available: amount };
    lots.set(vault, [...(lots.get(vault) ?? []), lot]);
    return lot;
  };
  const take = (vault: string, amount: number) => {
    for (const lot of lots.get(vault)!) {
      const part = Math.min(lot.available, amount);
      lot.available -= part;
      amount -= part;
    }
  };

  function calculate({
    pay_date,
    gross_pay,
    obligations,
    buffer_rate,
  }: Extract<Command, { kind: 'calculate' }>): Outcome {
    const bills = obligations.reduce((total, { amount }) => total + amount, 0);
    if (bills > gross_pay) return { code: 'obligations-exceed-income', shortfall: bills - gross_pay };
    // Calculates in ten-thousandths of a penny, because whole numbers represent an exact half.
    const wanted = Math.floor((gross_pay * Math.round(Number(buffer_rate) * 10_000) + 5_000) / 10_000);
    const newBuffer = Math.min(wanted, gross_pay - bills);
    const newSafe = gross_pay - bills - newBuffer;

    const before = booked.get(pay_date) ?? { gross: 0, buffer: 0, safe: 0, bills: [] };
    const left = [...before.bills];
    const kept = obligations.map(({ type, category }) => {
      const at = left.findIndex((bill) => bill.type === type && bill.category === category);
      return at < 0 ? undefined : left.splice(at, 1)[0]!.lot;
    });
    const pots: [used: number, planned: number][] = [
      [Math.max(0, before.safe - safe), newSafe],
      [Math.max(0, before.buffer - buffer), newBuffer],
      ...kept.flatMap((lot, index): [number, number][] =>
        lot ? [[lot.amount - lot.available, obligations[index]!.amount]] : [],
      ),
      ...left.map(({ lot }): [number, number] => [lot.amount - lot.available, 0]),
    ];
    const shortfall = pots.reduce((total, [used, planned]) => total + Math.max(0, used - planned), 0);
    if (shortfall > 0) {
      return {
        code: 'paycheck-already-committed',
        committed: pots.reduce((total, [used]) => total + used, 0),
        shortfall,
      };
    }

    safe += newSafe - before.safe;
    buffer += newBuffer - before.buffer;
    const resize = (lot: Lot, amount: number) => {
      lot.available += amount - lot.amount;
      lot.amount = amount;
    };
    for (const { lot } of left) resize(lot, 0);
    const funded = obligations.map((bill, index) => {
      const lot = kept[index];
      if (lot) resize(lot, bill.amount);
      return { ...bill, lot: lot ?? put(`${bill.category} ${bill.type}`, bill.amount) };
    });
    booked.set(pay_date, { gross: gross_pay, buffer: newBuffer, safe: newSafe, bills: funded });
    return 'done';
  }

  return {
    apply(command: Command): Outcome {
      if (command.kind === 'calculate') return calculate(command);
      const { amount } = command;
      if (command.kind === 'allocate') {
        if (amount > safe) return { code: 'exceeds-safe-to-spend', safe_to_spend_available: safe };
        safe -= amount;
        put(`${command.vault_type} ${command.label}`, amount);
        return 'done';
      }
      if (!lots.has(command.vault)) return { code: 'not-found' };
      const to = command.kind === 'transfer' ? `${command.vault_type} ${command.label}` : null;
      if (to === command.vault) return { code: 'same-vault' };
      const available = held(command.vault);
      if (amount > available) return { code: 'insufficient-vault-balance', available };
      take(command.vault, amount);
      if (to === null) safe += amount;
      else put(to, amount);
      return 'done';
    },
    balances: () => ({
      safe_to_spend: safe,
      buffer,
      in_flight: 0,
      vaults: Object.fromEntries([...lots.keys()].map((vault) => [vault, held(vault)])),
    }),
  };
}
