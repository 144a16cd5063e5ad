import { READ_AT_ONCE } from '../../domain/documents.ts';
import { claimNext } from '../../infra/db/queries/legacy.ts';
import type { Services } from '../../infra/services.ts';

/** Ends the reading. Call the function once. */
type EndReading = () => void;

interface Waiting {
  docId: string;
  resolve: (end: EndReading) => void;
  reject: (reason: unknown) => void;
}

/** The queue claims again, because another process might have finished a document. */
const CLAIM_AGAIN_MS = 500;

export type FairQueue = ReturnType<typeof openFairQueue>;

/**
 * This process's queue. The database decides which document is next, across all processes. This process reads at most
 * `READ_AT_ONCE` documents at a time, and at most one for each application or person.
 */
export function openFairQueue({ db }: Pick<Services, 'db'>) {
  const waiting = new Set<Waiting>();
  const parties: string[] = [];
  let isClaiming = false;
  let isStale = false;
  let later: NodeJS.Timeout | undefined;

  const isOpen = () => waiting.size > 0 && parties.length < READ_AT_ONCE;
  const begin = (party: string): EndReading => {
    parties.push(party);
    return () => {
      const index = parties.indexOf(party);
      if (index >= 0) parties.splice(index, 1);
      claim();
    };
  };
  const claimAll = async () => {
    while (isOpen()) {
      isStale = false;
      const candidates = [...waiting];
      const ids = candidates.map(({ docId }) => docId);
      const next = await db.maybe(claimNext(ids, parties));
      // The waiting activity might have been cancelled by now.
      const waiter = next && candidates.find((each) => each.docId === next.doc_id && waiting.has(each));
      if (waiter !== undefined) {
        waiting.delete(waiter);
        // A document that is already read or erased needs no reading.
        waiter.resolve(next!.status === 'processing' ? begin(next!.party) : () => undefined);
      } else if (next === undefined && !isStale) break;
    }
  };
  const claim = () => {
    isStale = true;
    if (isClaiming) return;
    isClaiming = true;
    clearTimeout(later);
    void claimAll()
      .catch((error: unknown) => {
        for (const { reject } of waiting) reject(error);
        waiting.clear();
      })
      .finally(() => {
        isClaiming = false;
        if (isOpen()) later = setTimeout(claim, CLAIM_AGAIN_MS).unref();
      });
  };
  return {
    async next(docId: string, signal?: AbortSignal): Promise<EndReading> {
      signal?.throwIfAborted();
      const { promise, resolve, reject } = Promise.withResolvers<EndReading>();
      const waiter: Waiting = { docId, resolve, reject };
      const leave = () => {
        if (waiting.delete(waiter)) reject(signal?.reason);
      };
      waiting.add(waiter);
      signal?.addEventListener('abort', leave);
      claim();
      try {
        return await promise;
      } finally {
        signal?.removeEventListener('abort', leave);
      }
    },
  };
}
