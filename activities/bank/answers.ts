import { DomainError } from '../../domain/errors.ts';
import { SEAL_USES } from '../../domain/frozen-strings.ts';
import type { JourneyAnswer } from '../../infra/bank/interface.ts';
import { countAnswer, insertAnswer, returnSchemes, takeAnswer } from '../../infra/db/queries/bank-journeys.ts';
import type { Tx } from '../../infra/db/transaction.ts';
import { hashOf, newAnswerHandle } from '../../infra/keys/credentials.ts';
import { openUnder, sealUnder } from '../../infra/keys/seal.ts';
import type { Services } from '../../infra/services.ts';

/**
 * Keeps what a browser brought back from a bank, and redeems nothing. Any browser can bring it, so only the handle, which
 * this browser alone gets, opens it again.
 * @throws DomainError `unknown-bank-answer` for an unknown state, or for the sixth answer of a journey.
 */
export async function keepAnswer(
  services: Pick<Services, 'db' | 'keys'>,
  { answer }: { answer: JourneyAnswer },
): Promise<{ handle: string }> {
  const handle = newAnswerHandle();
  const sealed = await sealUnder(handle, JSON.stringify(answer), CONTEXT);
  await services.db.transaction(async (tx) => {
    const journey = await tx.maybe(countAnswer(hashOf(services, answer.state ?? '')));
    if (!journey) throw unknownAnswer();
    await tx.run(insertAnswer({ handle_hash: hashOf(services, handle), journey_id: journey.journey_id, sealed }));
  });
  return { handle };
}

/** The handle works no more afterwards. Undefined if it never worked, or was used before. */
export async function takeKept(
  tx: Tx,
  services: Pick<Services, 'keys'>,
  handle: string,
): Promise<{ journeyId: string; inTime: boolean; sealed: string } | undefined> {
  const row = /^rf_ba_[\w-]{43}$/.test(handle) ? await tx.maybe(takeAnswer(hashOf(services, handle))) : undefined;
  return row && { journeyId: row.journey_id, inTime: row.in_time, sealed: row.sealed };
}

export async function openAnswer(handle: string, sealed: string): Promise<JourneyAnswer> {
  return JSON.parse(await openUnder(handle, sealed, CONTEXT)) as JourneyAnswer;
}

/** CSP sources for the addresses of applications to which a person may return from here. */
export async function returnTargets({ db }: Pick<Services, 'db'>): Promise<string[]> {
  return (await db.many(returnSchemes())).map(({ scheme }) => `${scheme}:`);
}

const CONTEXT = { use: SEAL_USES.bankAnswer };

function unknownAnswer(): DomainError {
  return new DomainError(
    'unknown-bank-answer',
    'This answer of a bank belongs to nothing that was started here lately. Nothing has changed. Start again in the application that you came from.',
  );
}
