import { READ_AT_ONCE } from '../../domain/documents.ts';
import { claimTurn, type TurnRow } from '../../infra/db/statements/legacy.ts';
import type { Services } from '../../infra/services.ts';

export interface Turn {
  done(): void;
}

/** This process's queue. The database decides which document is next, across all processes. */
export interface Turns {
  take(docId: string, signal?: AbortSignal): Promise<Turn>;
}

interface Waiting {
  docId: string;
  settle: { resolve: (turn: Turn) => void; reject: (reason: unknown) => void };
}

/** The queue asks again, because another process might have finished a document. */
const ASK_AGAIN_MS = 500;

/** This process reads at most `places` documents at a time, and at most one for each application or person. */
export function openTurns({ db }: Pick<Services, 'db'>, places: number = READ_AT_ONCE): Turns {
  const waiting = new Set<Waiting>();
  const parties: string[] = [];
  let isAsking = false;
  let isStale = false;
  let later: NodeJS.Timeout | undefined;

  const give = (waiter: Waiting, { party, status }: TurnRow) => {
    waiting.delete(waiter);
    // A document that is already read or erased needs no turn.
    if (status !== 'processing') {
      waiter.settle.resolve({ done() {} });
      return;
    }
    parties.push(party);
    const done = once(() => {
      parties.splice(parties.indexOf(party), 1);
      ask();
    });
    waiter.settle.resolve({ done });
  };
  const giveAll = async () => {
    while (waiting.size > 0 && parties.length < places) {
      isStale = false;
      const asked = [...waiting];
      const next = await db.maybe(
        claimTurn(
          asked.map(({ docId }) => docId),
          parties,
        ),
      );
      // The waiting activity might have been cancelled by now.
      const waiter = next && asked.find((each) => each.docId === next.doc_id && waiting.has(each));
      if (waiter !== undefined) give(waiter, next!);
      else if (next === undefined && !isStale) break;
    }
  };
  const ask = () => {
    isStale = true;
    if (isAsking) return;
    isAsking = true;
    clearTimeout(later);
    void giveAll()
      .catch((error: unknown) => {
        for (const { settle } of waiting) settle.reject(error);
        waiting.clear();
      })
      .finally(() => {
        isAsking = false;
        if (waiting.size > 0 && parties.length < places) later = setTimeout(ask, ASK_AGAIN_MS).unref();
      });
  };
  return {
    async take(docId, signal) {
      signal?.throwIfAborted();
      const { promise, ...settle } = Promise.withResolvers<Turn>();
      const waiter: Waiting = { docId, settle };
      const leave = () => {
        if (waiting.delete(waiter)) settle.reject(signal?.reason);
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

function once(work: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    work();
  };
}
