import { READ_AT_ONCE } from '../../domain/documents.ts';
import { claimTurn } from '../../infra/db/queries/legacy.ts';
import type { Services } from '../../infra/services.ts';

/** Ends the turn. Call the function once. */
type Turn = () => void;

interface Waiting {
  docId: string;
  resolve: (turn: Turn) => void;
  reject: (reason: unknown) => void;
}

/** The queue asks again, because another process might have finished a document. */
const ASK_AGAIN_MS = 500;

export type Turns = ReturnType<typeof openTurns>;

/**
 * This process's queue. The database decides which document is next, across all processes. This process reads at most
 * `READ_AT_ONCE` documents at a time, and at most one for each application or person.
 */
export function openTurns({ db }: Pick<Services, 'db'>) {
  const waiting = new Set<Waiting>();
  const parties: string[] = [];
  let isAsking = false;
  let isStale = false;
  let later: NodeJS.Timeout | undefined;

  const isOpen = () => waiting.size > 0 && parties.length < READ_AT_ONCE;
  const begin = (party: string): Turn => {
    parties.push(party);
    return () => {
      const place = parties.indexOf(party);
      if (place >= 0) parties.splice(place, 1);
      ask();
    };
  };
  const giveAll = async () => {
    while (isOpen()) {
      isStale = false;
      const asked = [...waiting];
      const ids = asked.map(({ docId }) => docId);
      const next = await db.maybe(claimTurn(ids, parties));
      // The waiting activity might have been cancelled by now.
      const waiter = next && asked.find((each) => each.docId === next.doc_id && waiting.has(each));
      if (waiter !== undefined) {
        waiting.delete(waiter);
        // A document that is already read or erased needs no turn.
        waiter.resolve(next!.status === 'processing' ? begin(next!.party) : () => undefined);
      } else if (next === undefined && !isStale) break;
    }
  };
  const ask = () => {
    isStale = true;
    if (isAsking) return;
    isAsking = true;
    clearTimeout(later);
    void giveAll()
      .catch((error: unknown) => {
        for (const { reject } of waiting) reject(error);
        waiting.clear();
      })
      .finally(() => {
        isAsking = false;
        if (isOpen()) later = setTimeout(ask, ASK_AGAIN_MS).unref();
      });
  };
  return {
    async take(docId: string, signal?: AbortSignal): Promise<Turn> {
      signal?.throwIfAborted();
      const { promise, resolve, reject } = Promise.withResolvers<Turn>();
      const waiter: Waiting = { docId, resolve, reject };
      const leave = () => {
        if (waiting.delete(waiter)) reject(signal?.reason);
      };
      waiting.add(waiter);
      signal?.addEventListener('abort', leave);
      ask();
      try {
        return await promise;
      } finally {
        signal?.removeEventListener('abort', leave);
      }
    },
  };
}
