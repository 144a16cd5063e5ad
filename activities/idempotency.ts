import { createHash } from 'node:crypto';
import { DomainError } from '../domain/errors.ts';
import {
  claimKey,
  claimNewKey,
  finishAnswer,
  storeAnswer,
  STORED_MEANWHILE,
  type ClaimRow,
  type KeyToClaim,
} from '../infra/db/statements/idempotency.ts';
import type { Services } from '../infra/services.ts';
import { SEAL_USES } from '../domain/frozen-strings.ts';

/** An answer as it travels and as it is stored; `body` is its text. */
export interface Answer {
  status: number;
  headers: Record<string, string>;
  body: string | null;
}

/** What names a request that may be sent more than once. */
export interface RequestName {
  caller: string;
  operation: string;
  key: string;
  /** Whether the answer holds personal data; then it is stored sealed. */
  personal: boolean;
}

/** One of its own, or one that commits with others (`Database.groupTransaction`). */
export type EarlyTransaction = 'own' | 'group';

/** A request that may be sent more than once. */
export interface Repeatable extends RequestName {
  /** Tells this request from others with the same key: method, path and body in a canonical form. */
  request: string;
  /** Where `run` does nothing but database work, so that it may begin before it is known whether the key is new: in which transaction. */
  early: EarlyTransaction | undefined;
  /** What it does, in one transaction with the storing of its answer. Not `finished`: the answer is what was begun, for now. */
  run: () => Promise<Answer & { finished: boolean }>;
  /** The answer that a refusal is; undefined for one that must not be kept. */
  refusal: (error: DomainError) => Answer | undefined;
}

const MOST_RUNS = 3;

/** Answers that are given once: what a key's first request did is stored with its effect, in one transaction. */
export const idempotencyActivities = (services: Services) => ({
  /**
   * Runs the request, or gives what it did before. The claim on the key is the transaction itself, so that a crash leaves
   * nothing stuck. What a refused request did is undone, and the refusal is kept.
   * @throws DomainError `idempotency-key-in-use`, `idempotency-key-reused`; whatever must not be kept.
   */
  async answerOnce(given: Repeatable): Promise<GivenAnswer> {
    const request = { ...given, key: keptKey(services, given) };
    for (let run = 1; ; run += 1) {
      try {
        return await answered(services, request, run === 1);
      } catch (error) {
        if (error instanceof Refused) request.run = () => Promise.resolve({ ...error.answer, finished: true });
        else if (!isStoredMeanwhile(error) || run === MOST_RUNS) throw error;
      }
    }
  },

  /** Stores the answer of a request that was only begun until now. */
  async finishAnswer(given: RequestName, { status, headers, body }: Answer): Promise<void> {
    const request = { ...given, key: keptKey(services, given) };
    const { caller, operation, key } = request;
    const kept = { status, headers: JSON.stringify(headers), body: await closed(services, request, body) };
    await services.db.run(finishAnswer({ caller, operation, key, ...kept }));
  },
});

/** An answer, and whether it was given before; not `finished`: it is what was begun, and the answer is yet to come. */
export type GivenAnswer = Answer & { replayed: boolean; finished: boolean };

/** Callers name their requests as they like, by somebody's address perhaps: only a fingerprint of it is kept. */
function keptKey({ keys }: Services, { key }: RequestName): string {
  return keys.blindIndex('idempotency key', key);
}

/** The request was refused, and the refusal is its answer: nothing that it did may stay. */
class Refused extends Error {
  override readonly name = 'Refused';
  readonly answer: Answer;

  constructor(answer: Answer) {
    super('the request was refused');
    this.answer = answer;
  }
}

/** Another request stored its answer between our look and our claim: nothing of ours may stay, and its answer is to be given. */
function isStoredMeanwhile(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === STORED_MEANWHILE;
}

async function answered(services: Services, request: Repeatable, first: boolean): Promise<GivenAnswer> {
  const { db } = services;
  if (!first || request.early === undefined) return db.transaction(() => answerInTransaction(services, request));
  const asNew = () => answerAsNew(services, request);
  return request.early === 'group' ? db.groupTransaction(asNew) : db.transaction(asNew);
}

/** Takes the key for a new one: the claim travels with what the request asks first, and where it is refused all is undone. */
async function answerAsNew(services: Services, request: Repeatable): Promise<GivenAnswer> {
  const refused = Promise.withResolvers<never>();
  await services.db.send(claimNewKey(keyToClaim(request)), refused.reject);
  return Promise.race([refused.promise, answerAndStore(services, request, fingerprintOf(services, request))]);
}

async function answerInTransaction(services: Services, request: Repeatable): Promise<GivenAnswer> {
  const { db } = services;
  const fingerprint = fingerprintOf(services, request);
  const found = await db.one(claimKey(keyToClaim(request)));
  if (found.fingerprint !== null) return replay(services, request, found, fingerprint);
  if (!found.claimed) {
    throw new DomainError(
      'idempotency-key-in-use',
      'A request with this Idempotency-Key is still running. Send it again in a moment.',
    );
  }
  return answerAndStore(services, request, fingerprint);
}

async function answerAndStore(services: Services, request: Repeatable, fingerprint: string): Promise<GivenAnswer> {
  const { caller, operation, key } = request;
  const answer = await runOrRefuse(request);
  const stored = {
    ...{ caller, operation, key, fingerprint },
    status: answer.status,
    headers: JSON.stringify(answer.headers),
    body: await closed(services, request, answer.body),
    finished: answer.finished,
  };
  await services.db.commitWith(storeAnswer(stored));
  return { ...answer, replayed: false };
}

async function replay(
  services: Services,
  request: Repeatable,
  found: ClaimRow,
  fingerprint: string,
): Promise<GivenAnswer> {
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
    finished: found.finished!,
    replayed: true,
  };
}

async function runOrRefuse({ run, refusal }: Repeatable): Promise<Answer & { finished: boolean }> {
  try {
    return await run();
  } catch (error) {
    const answer = error instanceof DomainError ? refusal(error) : undefined;
    throw answer === undefined ? error : new Refused(answer);
  }
}

async function closed({ keys }: Services, request: RequestName, body: string | null): Promise<string | null> {
  if (!request.personal || body === null) return body;
  return (await keys.seal(body, sealContext(request))).sealed;
}

async function opened({ keys }: Services, request: RequestName, body: string | null): Promise<string | null> {
  return request.personal && body !== null ? keys.open(body, sealContext(request)) : body;
}

function sealContext({ caller, operation, key }: RequestName) {
  return { use: SEAL_USES.idempotentAnswer, caller, operation, key };
}

function fingerprintOf({ keys }: Services, { request }: Repeatable): string {
  return keys.blindIndex('idempotent request', request);
}

/** A key with its lock: 64 bits of a hash, as PostgreSQL's advisory locks take them. */
function keyToClaim({ caller, operation, key }: RequestName): KeyToClaim {
  const lock = createHash('sha256')
    .update(JSON.stringify([caller, operation, key]))
    .digest()
    .readBigInt64BE()
    .toString();
  return { lock, caller, operation, key };
}
