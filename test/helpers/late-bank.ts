import type { Bank } from '../../domain/bank/payments.ts';

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
    connect(to) {
      real = to;
    },
    submitPayment: (instruction) => bank().submitPayment(instruction),
    get reads() {
      return reads;
    },
    readPayment: (id) => {
      reads += 1;
      return bank().readPayment(id);
    },
    pollEvents: (request) => bank().pollEvents(request),
    check: () => bank().check(),
  };
}
