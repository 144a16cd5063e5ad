import type { Bank, Banks, Traits } from '../../infra/bank/interface.ts';

export const TEST_TRAITS: Traits = {
  reads: true,
  pays: { HOUSING: 'other', UTILITIES: 'other', OTHER: 'other', OWN_ACCOUNT: 'other' },
  reconfirm: 'local',
  reauthorise: 'same',
  freshDays: 396,
  laterDays: 90,
  unattendedPerDay: 4,
  events: true,
};

const unreachable = () => Promise.reject(new Error('this test has no bank'));

/** A bank that does not respond. A test replaces the calls that it needs. */
export function silentBank(): Bank {
  return {
    traits: TEST_TRAITS,
    institutions: () => Promise.resolve([]),
    begin: unreachable,
    finish: unreachable,
    look: unreachable,
    end: unreachable,
    accounts: unreachable,
    balance: unreachable,
    transactions: unreachable,
    pay: unreachable,
    payment: unreachable,
    events: unreachable,
    check: unreachable,
    diagnose: async function* () {
      yield { step: 'the bank', ok: false, detail: await Promise.resolve('this test has no bank') };
    },
    close: () => Promise.resolve(),
  };
}

/** One bank `sandbox`, which also pays by the house account. */
export function banksWith(port: Bank): Banks {
  const bank = {
    bankId: 'sandbox',
    name: 'Sandbox bank',
    redirectUri: 'https://localhost/api/v1/bank/callback',
    regulated: { name: 'Ringfence sandbox bank', termsUrl: 'https://localhost/terms' },
    port,
  };
  return {
    all: [bank],
    find: (bankId) => (bankId === bank.bankId ? bank : undefined),
    house: { bank, consentRef: 'sandbox-consent' },
    close: () => port.close(),
  };
}

/** The same banks, and a house account at another. */
export function withHouse<Given extends Banks>(banks: Given, port: Bank): Given {
  const { find: findOwn } = banks;
  const { house, find } = banksWith(port);
  return { ...banks, house, find: (bankId: string) => findOwn(bankId) ?? find(bankId) };
}
