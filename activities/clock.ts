import { callerOf, type Principal } from '../domain/auth.ts';
import { clockMoveOf, firstsPassed, requireMove, type ClockMove } from '../domain/clock.ts';
import { londonDateOf } from '../domain/dates.ts';
import { DomainError } from '../domain/errors.ts';
import { holdClock, instantAfter, KNOWN_FOR_MS, setClock } from '../infra/db/statements/clock.ts';
import { insertMessage } from '../infra/db/statements/outbox.ts';
import type { Services } from '../infra/services.ts';
import { audit } from './audit.ts';
import { requestAccrualRun } from './yield/run.ts';

/** What the clock's history in the audit log goes by. */
export const CLOCK = 'business-clock';

/** A little longer than anybody goes by a time that was read before. */
const WAIT_S = (KNOWN_FOR_MS + 10) / 1_000;

/** A move: `advance` is an ISO 8601 duration, `now` an instant; exactly one of the two. */
export interface MoveRequest {
  principal: Principal;
  advance?: string;
  now?: string;
}

type ClockServices = Pick<Services, 'config' | 'db' | 'clock' | 'outbox' | 'newId'>;

/** The business clock of a sandbox. Production's is the machine's own, and these are not there. */
export const clockActivities = (services: ClockServices) => ({
  /** @throws DomainError `not-found` in production. */
  async readClock(): Promise<{ now: string }> {
    requireSandbox(services);
    return { now: (await services.clock.now()).toISOString() };
  },

  /**
   * Moves business time forward, in every process: whoever asks after the commit is told the new time. Moves at the same
   * time come one after the other. What became due is started by the outbox.
   * @returns the time it was moved to; it goes on from there.
   * @throws DomainError `not-found` in production, `invalid-request`, `clock-not-forward`, `clock-too-far`.
   */
  async moveClock({ principal, ...request }: MoveRequest): Promise<{ now: string }> {
    requireSandbox(services);
    const move = clockMoveOf(request);
    return services.db.transaction(async () => {
      const { offset_ms, real_ms } = await services.db.one(holdClock(WAIT_S));
      const realNowMs = Math.floor(real_ms);
      const from = new Date(realNowMs + offset_ms);
      const to = await targetOf(services, move, from);
      requireMove(from, to);
      await services.db.run(setClock(to.getTime() - realNowMs));
      await recordMove(services, { from, to, actor: callerOf(principal) });
      return { now: to.toISOString() };
    });
  },
});

function requireSandbox({ config }: ClockServices): void {
  if (config.environment === 'sandbox') return;
  throw new DomainError('not-found', "There is nothing at this address: production's clock cannot be moved.");
}

async function targetOf({ db }: ClockServices, move: ClockMove, from: Date): Promise<Date> {
  if ('now' in move) return move.now;
  const { after } = await db.one(instantAfter(from, move.advance));
  return new Date(after);
}

/** The audit event, at real time, and word of what became due, in the transaction of the move. */
async function recordMove(
  services: ClockServices,
  { from, to, actor }: { from: Date; to: Date; actor: string },
): Promise<void> {
  const data = { from: from.toISOString(), to: to.toISOString() };
  await audit(services, { subject: CLOCK, kind: 'clock.moved', actor, data });
  const days = { from: londonDateOf(from), to: londonDateOf(to) };
  await services.db.run(insertMessage('clock.moved', CLOCK, days));
  // A run posts month by month what is missing up to its day, so that the last one does for all.
  const asOf = firstsPassed(from, to).at(-1);
  if (asOf !== undefined) await requestAccrualRun(services, { as_of: asOf });
  services.db.afterCommit(() => services.outbox.notify());
}
