import { callerOf, type Principal } from '../domain/auth.ts';
import { clockMoveOf, firstsPassed, requireMove, type ClockMove } from '../domain/clock.ts';
import { londonDateOf } from '../domain/dates.ts';
import { DomainError } from '../domain/errors.ts';
import { holdClock, instantAfter, KNOWN_FOR_MS, setClock } from '../infra/db/queries/clock.ts';
import type { Queries } from '../infra/db/connection.ts';
import type { Tx } from '../infra/db/transaction.ts';
import type { Services } from '../infra/services.ts';
import type { ClockMove as MoveRequest } from '../openapi/types.ts';
import { audit } from './audit.ts';
import { enqueue } from './outbox.ts';
import { requestAccrualRun } from './yield/run.ts';

export const CLOCK = 'business-clock';

/** How long a move waits, slightly longer than a process caches the time. */
const WAIT_S = (KNOWN_FOR_MS + 10) / 1_000;

type ClockServices = Pick<Services, 'config' | 'clock' | 'outbox' | 'newId'>;

export async function readClock(services: ClockServices & Pick<Services, 'db'>): Promise<{ now: string }> {
  requireSandbox(services);
  return { now: (await services.clock.now(services.db)).toISOString() };
}

/** After the commit every process sees the new time. */
export async function moveClock(
  tx: Tx,
  services: ClockServices,
  { principal, ...request }: MoveRequest & { principal: Principal },
): Promise<{ now: string }> {
  requireSandbox(services);
  const move = clockMoveOf(request);
  const { offset_ms, real_ms } = await tx.one(holdClock(WAIT_S));
  const realNowMs = Math.floor(real_ms);
  const from = new Date(realNowMs + offset_ms);
  const to = await targetOf(tx, move, from);
  requireMove(from, to);
  await tx.run(setClock(to.getTime() - realNowMs));
  await recordMove(tx, services, { from, to, actor: callerOf(principal) });
  return { now: to.toISOString() };
}

function requireSandbox({ config }: Pick<Services, 'config'>): void {
  if (config.environment === 'sandbox') return;
  throw new DomainError('not-found', 'This operation does not exist in production, where the clock cannot be moved.');
}

async function targetOf(db: Queries, move: ClockMove, from: Date): Promise<Date> {
  if ('now' in move) return move.now;
  const { after } = await db.one(instantAfter(from, move.advance));
  return new Date(after);
}

/** The audit event has the real time, not the business time. */
async function recordMove(
  tx: Tx,
  services: ClockServices,
  { from, to, actor }: { from: Date; to: Date; actor: string },
): Promise<void> {
  const data = { from: from.toISOString(), to: to.toISOString() };
  await audit(tx, services, { subject: CLOCK, kind: 'clock.moved', actor, data });
  const days = { from: londonDateOf(from), to: londonDateOf(to) };
  await enqueue(tx, services, 'clock.moved', CLOCK, days);
  // One run for the last month also posts all earlier months that are missing.
  const asOf = firstsPassed(from, to).at(-1);
  if (asOf !== undefined) await requestAccrualRun(tx, services, { as_of: asOf });
}
