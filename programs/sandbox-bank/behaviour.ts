import type { BankReason } from '../../domain/bank/payments.ts';
import { sandboxPayeeAt } from '../../domain/sandbox-payees.ts';
import type { Fault } from './exchange.ts';
import type { Instruction } from './instruction.ts';

/** In milliseconds. With 0, the first response already contains the result. */
export interface Delays {
  instantMs: number;
  slowMs: number;
  returnMs: number;
}

export interface Course {
  kind: 'take';
  startsAs: 'RCVD' | 'ACSP';
  steps: readonly Step[];
  /** The money moves, but the bank drops the connection before it responds. */
  losesReply: boolean;
}

export interface Step {
  afterMs: number;
  to: 'ACSP' | 'ACCC' | 'RJCT' | 'BLCK' | 'returned';
  reason: BankReason | null;
}

export type Behaviour = Course | { kind: 'unavailable' } | { kind: 'refuse'; fault: Fault };

export interface Memory {
  timesUnavailable: number;
  earlierAttempts: number;
}

const UNAVAILABLE_TIMES = 3;

/** Unknown accounts behave like `prov_sandbox_instant`. */
export function behaviourOf({ account }: Instruction, memory: Memory, delays: Delays): Behaviour {
  const settles = (afterMs: number): Step => ({ afterMs, to: 'ACCC', reason: null });
  const rejects = (afterMs: number, code: string, detail: string): Step => ({
    afterMs,
    to: 'RJCT',
    reason: { code, detail },
  });
  switch (sandboxPayeeAt(account.sortCode, account.accountNumber)?.providerId) {
    case 'prov_sandbox_slow':
      return take(
        [{ afterMs: Math.min(delays.instantMs, delays.slowMs), to: 'ACSP', reason: null }, settles(delays.slowMs)],
        'RCVD',
      );
    case 'prov_sandbox_reject':
      return take([rejects(0, 'AC06', 'The account of the payee is blocked.')]);
    case 'prov_sandbox_reject_once':
      if (memory.earlierAttempts > 0) return take([settles(delays.instantMs)]);
      return take([rejects(delays.instantMs, 'MS03', 'The bank of the payee gave no reason.')]);
    case 'prov_sandbox_unavailable':
      if (memory.timesUnavailable < UNAVAILABLE_TIMES) return { kind: 'unavailable' };
      return take([settles(delays.instantMs)]);
    case 'prov_sandbox_lost_reply':
      return { ...take([settles(0)]), losesReply: true };
    case 'prov_sandbox_forbidden':
      return { kind: 'refuse', fault: { code: 'AG01', message: 'Payments to this kind of account are forbidden.' } };
    case 'prov_sandbox_return': {
      const reason = { code: 'RETN', detail: 'The bank of the payee returned the money.' };
      return take([settles(0), { afterMs: delays.returnMs, to: 'returned', reason }]);
    }
    case 'prov_sandbox_blocked': {
      const reason = { code: 'LEGL', detail: 'The bank is not allowed to pay the money or to return it.' };
      return take([{ afterMs: delays.instantMs, to: 'BLCK', reason }]);
    }
    case 'prov_sandbox_instant':
    case undefined:
      return take([settles(delays.instantMs)]);
  }
}

function take(steps: readonly Step[], startsAs: Course['startsAs'] = 'ACSP'): Course {
  return { kind: 'take', startsAs, steps, losesReply: false };
}
