import type { Bank } from '../../infra/bank/interface.ts';
import { silentBank } from './banks.ts';

/** Calls fail until `connect` is called. */
export interface LateBank extends Bank {
  connect(bank: Bank): void;
  /** The number of requests for a payment's status. */
  readonly reads: number;
}

export function lateBank(): LateBank {
  let real: Bank | undefined;
  let reads = 0;
  const bank = () => {
    if (real === undefined) throw new Error('the bank is not connected yet');
    return real;
  };
  return {
    ...silentBank(),
    connect(to) {
      real = to;
    },
    pay: (access, instruction) => bank().pay(access, instruction),
    get reads() {
      return reads;
    },
    payment: (id) => {
      reads += 1;
      return bank().payment(id);
    },
    events: (request) => bank().events(request),
    check: () => bank().check(),
    close: () => Promise.resolve(),
  };
}
