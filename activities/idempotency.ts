import { createHash } from 'node:crypto';
import { DomainError } from '../domain/errors.ts';
import { claimKey, purgeAnswers, storeAnswer, type ClaimRow } from '../infra/db/statements/idempotency.ts';
import type { Services } from '../infra/services.ts';

/** An answer as it travels and as it is stored; `body` is its text. */
export interface Answer {
  status: number;
  headers: Record<string, string>;
  body: string | null;
}

/** A request that may be sent more than once. */
export interface Repeatable {
  caller: string;
  operation: string;
  key: string;
  /** Tells this request from others with the same key: method, path and body in a canonical form. */
  request: string;
  /** Whether the answer holds personal data; then it is stored sealed. */
  personal: boolean;
  run: () => Promise<Answer>;
  /** The answer that a refusal is; undefined for one that must not be kept. */
  refusal: (error: DomainError) => Answer | undefined;
}

const PURGE_BATCH = 500;
const MOST_RUNS = 3;

/** Answers that are given once: what a key's first request did is stored with its effect, in one transaction. */
export const idempotencyActivities = (services: Services) => ({
  /**
   * Runs the request, or gives what it did before. The claim on the key is the transaction itself, so that a crash leaves
   * nothing stuck. A refusal is undone to where it began, and kept.
   * @throws DomainError `idempotency-key-in-use`, `idempotency-key-reused`; whatever must not be kept.
   */
  async answerOnce(given: Repeatable): Promise<Answer & { replayed: boolean }> {
    // Callers name their requests as they like, by somebody's address perhaps: only a fingerprint of it is kept.
    const request = { ...given, key: services.keys.blindIndex('idempotency key', given.key) };
    for (let run = 1; ; run += 1) {
      try {
        return await services.db.transaction(() => answerInTransaction(services, request));
      } catch (error) {
        if (!(error instanceof StoredMeanwhile) || run === MOST_RUNS) throw error;
      }
    }
  },

  /** Deletes answers older than 24 hours, one batch. @returns how many. */
  async purgeIdempotencyRecords(): Promise<{ purged: number }> {
    return { purged: await services.db.run(purgeAnswers, [PURGE_BATCH]) };
  },
});

/** Another request stored its answer between our look and our claim: nothing of ours may stay, and its answer is to be given. */
class StoredMeanwhile extends Error {
  override readonly name = 'StoredMeanwhile';
}

async function answerInTransaction(services: Services, request: Repeatable): Promise<Answer & { replayed: boolean }> {
  const { db } = services;
  const { caller, operation, key } = request;
  const fingerprint = services.keys.blindIndex('idempotent request', request.request);
  const found = await db.one(claimKey, [lockOf(request), caller, operation, key]);
  if (found.fingerprint !== null) return replay(services, request, found, fingerprint);
  if (!found.claimed) {
    throw new DomainError(
      'idempotency-key-in-use',
      'A request with this Idempotency-Key is still running. Send it again in a moment.',
    );
  }
  const answer = await runOrRefuse(services, request);
  const stored = [
    fingerprint,
    answer.status,
    JSON.stringify(answer.headers),
    await closed(services, request, answer.body),
  ];
  if ((await db.run(storeAnswer, [caller, operation, key, ...stored])) === 0) throw new StoredMeanwhile();
  return { ...answer, replayed: false };
}

async function replay(services: Services, request: Repeatable, found: ClaimRow, fingerprint: string) {
  if (found.fingerprint !== fingerprint) {
    throw new DomainError(
      'idempotency-key-reused',
      'This Idempotency-Key came with another request before. Use a fresh key for a new request.',
    );
  }
  return {
    status: found.status!,
    headers: found.headers!,
    body: await opened(services, request, found.body),
    replayed: true,
  };
}

async function runOrRefuse({ db }: Services, { run, refusal }: Repeatable): Promise<Answer> {
  try {
    return await db.savepoint(run);
  } catch (error) {
    const answer = error instanceof DomainError ? refusal(error) : undefined;
    if (answer === undefined) throw error;
    return answer;
  }
}

async function closed({ keys }: Services, request: Repeatable, body: string | null): Promise<string | null> {
  if (!request.personal || body === null) return body;
  return (await keys.seal(body, sealContext(request))).sealed;
}

async function opened({ keys }: Services, request: Repeatable, body: string | null): Promise<string | null> {
  return request.personal && body !== null ? keys.open(body, sealContext(request)) : body;
}

function sealContext({ caller, operation, key }: Repeatable) {
  return { use: 'idempotent answer', caller, operation, key };
}

/** 64 bits of a hash, as PostgreSQL's advisory locks take them. */
function lockOf({ caller, operation, key }: Repeatable): string {
  return createHash('sha256')
    .update(JSON.stringify([caller, operation, key]))
    .digest()
    .readBigInt64BE()
    .toString();
}
