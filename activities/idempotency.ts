import { createHash } from 'node:crypto';
import { DomainError } from '../domain/errors.ts';
import {
  claimKey,
  claimNewKey,
  storeAnswer,
  STORED_MEANWHILE,
  type ClaimRow,
  type KeyToClaim,
} from '../infra/db/queries/idempotency.ts';
import type { Tx } from '../infra/db/transaction.ts';
import type { Services } from '../infra/services.ts';
import { SEAL_USES } from '../domain/frozen-strings.ts';

export interface Answer {
  status: number;
  headers: Record<string, string>;
  body: string | null;
}

interface RequestName {
  caller: string;
  operation: string;
  key: string;
  /** Whether the response can contain personal data, and so is stored encrypted. */
  personal: boolean;
}

/** `own` opens its own transaction. `group` commits together with other requests (`Database.groupTransaction`). */
export type EarlyTransaction = 'own' | 'group';

interface Repeatable extends RequestName {
  /** The canonical method, path and body, which must be the same in a repeated request. */
  request: string;
  /** Set if `run` can start before we know whether the key is new. If the key is not new, the work is rolled back. */
  early: EarlyTransaction | undefined;
  /** Runs in the transaction that stores the response. If `finished` is false, the response is provisional. */
  run: (tx: Tx) => Promise<Answer & { finished: boolean }>;
  /** Undefined if the error must not be stored. */
  refusal: (error: DomainError) => Answer | undefined;
}

const MOST_RUNS = 3;

type Needs = Pick<Services, 'keys'>;

export const idempotencyActivities = (services: Services) => ({
  /**
   * The claim on the key belongs to the transaction, so a crash leaves no claim. Before an error response is stored,
   * the work is rolled back.
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
});

type GivenAnswer = Answer & { replayed: boolean; finished: boolean };

/** We store a fingerprint instead of the key, because callers might put personal data into the key. */
function keptKey({ keys }: Services, { key }: RequestName): string {
  return keys.blindIndex('idempotency key', key);
}

/** Carries an error response out of the transaction, so that the transaction rolls back. */
class Refused extends Error {
  override readonly name = 'Refused';
  readonly answer: Answer;

  constructor(answer: Answer) {
    super('the request was refused');
    this.answer = answer;
  }
}

function isStoredMeanwhile(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === STORED_MEANWHILE;
}

async function answered(services: Services, request: Repeatable, first: boolean): Promise<GivenAnswer> {
  const { db } = services;
  if (!first || request.early === undefined) return db.transaction((tx) => answerInTransaction(tx, services, request));
  const asNew = (tx: Tx) => answerAsNew(tx, services, request);
  return request.early === 'group' ? db.groupTransaction(asNew) : db.transaction(asNew);
}

/** Runs a request while claiming its key, to save a round trip. If the key was used before, everything rolls back. */
async function answerAsNew(tx: Tx, services: Services, request: Repeatable): Promise<GivenAnswer> {
  const refused = Promise.withResolvers<never>();
  tx.run(claimNewKey(keyToClaim(request))).catch(refused.reject);
  return Promise.race([refused.promise, answerAndStore(tx, services, request, fingerprintOf(services, request))]);
}

async function answerInTransaction(tx: Tx, services: Services, request: Repeatable): Promise<GivenAnswer> {
  const fingerprint = fingerprintOf(services, request);
  const found = await tx.one(claimKey(keyToClaim(request)));
  if (found.fingerprint !== null) return replay(services, request, found, fingerprint);
  if (!found.claimed) {
    throw new DomainError(
      'idempotency-key-in-use',
      'A request with this Idempotency-Key is still running. Send the request again in a moment.',
    );
  }
  return answerAndStore(tx, services, request, fingerprint);
}

async function answerAndStore(tx: Tx, services: Needs, request: Repeatable, fingerprint: string): Promise<GivenAnswer> {
  const { caller, operation, key } = request;
  const answer = await runOrRefuse(tx, request);
  const stored = {
    ...{ caller, operation, key, fingerprint },
    status: answer.status,
    headers: JSON.stringify(answer.headers),
    body: await closed(services, request, answer.body),
    finished: answer.finished,
  };
  void tx.run(storeAnswer(stored));
  return { ...answer, replayed: false };
}

async function replay(services: Needs, request: Repeatable, found: ClaimRow, fingerprint: string) {
  if (found.fingerprint !== fingerprint) {
    throw new DomainError(
      'idempotency-key-reused',
      'This Idempotency-Key was already used for a different request. Use a new key for each new request.',
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

async function runOrRefuse(tx: Tx, { run, refusal }: Repeatable): Promise<Answer & { finished: boolean }> {
  try {
    return await run(tx);
  } catch (error) {
    const answer = error instanceof DomainError ? refusal(error) : undefined;
    throw answer === undefined ? error : new Refused(answer);
  }
}

async function closed({ keys }: Needs, request: RequestName, body: string | null): Promise<string | null> {
  if (!request.personal || body === null) return body;
  return (await keys.seal(body, sealContext(request))).sealed;
}

async function opened({ keys }: Needs, request: RequestName, body: string | null): Promise<string | null> {
  return request.personal && body !== null ? keys.open(body, sealContext(request)) : body;
}

function sealContext({ caller, operation, key }: RequestName) {
  return { use: SEAL_USES.idempotentAnswer, caller, operation, key };
}

function fingerprintOf({ keys }: Needs, { request }: Repeatable): string {
  return keys.blindIndex('idempotent request', request);
}

/** `lock` is the number of a PostgreSQL advisory lock. */
function keyToClaim({ caller, operation, key }: RequestName): KeyToClaim {
  const lock = createHash('sha256')
    .update(JSON.stringify([caller, operation, key]))
    .digest()
    .readBigInt64BE()
    .toString();
  return { lock, caller, operation, key };
}
