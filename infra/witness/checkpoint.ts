import { createHash } from 'node:crypto';
import { compactVerify, CompactSign } from 'jose';
import * as z from 'zod';
import type { CheckpointKey } from './checkpoint-key.ts';
import type { WitnessFolder } from './folder.ts';

const whole = z.int().nonnegative();
const digest = z.string().regex(/^[0-9a-f]{64}$/);

/** The newest event of a chain in the checkpoint's range. `subject` is a keyed hash. */
const headSchema = z.strictObject({ seq: whole, subject: z.string(), length: whole, hash: digest });
export type HeadLine = z.output<typeof headSchema>;

/**
 * The signed line.
 * - `deployment` names the database, so that no other database's checkpoint counts.
 * - `after`, `upto`: the file has the chains with events whose `seq` is above the one and at most the other.
 * - `previous`: the hash of the signed line before.
 * - `verified`: up to where each part of `verify` found no fault. `verified_at`: when that run began.
 * - `restores`: those before this checkpoint. `backup_at` is null if nothing was restored.
 */
const statementSchema = z.strictObject({
  deployment: z.string(),
  number: whole,
  at: z.iso.datetime(),
  after: whole,
  upto: whole,
  heads: whole,
  sha256: digest,
  previous: digest.nullable(),
  verified: z.record(z.string(), whole),
  verified_at: z.iso.datetime().nullable(),
  restores: z.array(z.strictObject({ restore_id: z.string(), number: whole, backup_at: z.iso.datetime().nullable() })),
});
export type Statement = z.output<typeof statementSchema>;

/** A checkpoint whose file has a signed line. `line` is the line itself. */
export interface Signed extends Statement {
  name: string;
  line: string;
}

const PREFIX = 'checkpoint-';
const ALGORITHM = 'EdDSA';
const TYPE = 'ringfence-checkpoint+json';

export const nameOf = (number: number) => `${PREFIX}${String(number).padStart(6, '0')}.jsonl`;

/** By number. Undefined for a name that no checkpoint has. */
export function numberOf(name: string): number | undefined {
  const found = /^checkpoint-(\d{6,})\.jsonl$/.exec(name);
  return found === null ? undefined : Number(found[1]);
}

export async function checkpointNames(folder: WitnessFolder): Promise<string[]> {
  const numbers = (await folder.list(PREFIX)).map(numberOf).filter((number) => number !== undefined);
  return numbers.toSorted((a, b) => a - b).map(nameOf);
}

/** Does not check the signature. @returns undefined if the file has no whole signed line. */
export async function signedLineOf(folder: WitnessFolder, name: string): Promise<Signed | undefined> {
  const line = await folder.lastLine(name);
  const [, payload] = line?.split('.') ?? [];
  if (line === undefined || payload === undefined) return undefined;
  const found = parsed(statementSchema, Buffer.from(payload, 'base64url').toString('utf8'));
  return found && { ...found, name, line };
}

export async function newestSigned(folder: WitnessFolder): Promise<Signed | undefined> {
  const name = (await checkpointNames(folder)).at(-1);
  if (name === undefined) return undefined;
  const signed = await signedLineOf(folder, name);
  if (signed === undefined || nameOf(signed.number) !== name)
    throw new ChangedCheckpointError(`${name} was changed`, { changedAt: await folder.changedAt(name) });
  return signed;
}

/** Somebody changed the newest checkpoint, or the chains that it names, so no other may follow it. */
export class ChangedCheckpointError extends Error {
  readonly changedAt: Date | undefined;

  constructor(
    what: string,
    /** When the file was changed. Undefined if the chains were. */
    given: { changedAt?: Date } = {},
  ) {
    super(`no checkpoint can follow the newest one: ${what}. Run admin verify`);
    this.changedAt = given.changedAt;
  }
}

export async function isSignedBy({ checks }: CheckpointKey, line: string): Promise<boolean> {
  for (const key of checks) {
    const sound = await compactVerify(line, key, { algorithms: [ALGORITHM] }).then(
      ({ protectedHeader }) => protectedHeader.typ === TYPE,
      () => false,
    );
    if (sound) return true;
  }
  return false;
}

export const hashOfLine = (line: string) => createHash('sha256').update(line).digest('hex');

type Unsigned = Omit<Statement, 'heads' | 'sha256'>;

/** Writes the file at once, so that a reader of the folder sees the whole checkpoint or none. */
export async function writeCheckpoint(
  folder: WitnessFolder,
  { signs }: CheckpointKey,
  statement: Unsigned,
  pages: AsyncIterable<readonly HeadLine[]>,
): Promise<{ heads: number }> {
  let heads = 0;
  async function* text() {
    const hash = createHash('sha256');
    for await (const page of pages) {
      const lines = page.map((head) => `${JSON.stringify(head)}\n`).join('');
      heads += page.length;
      hash.update(lines);
      yield lines;
    }
    const claims: Statement = { ...statement, heads, sha256: hash.digest('hex') };
    const signing = new CompactSign(Buffer.from(JSON.stringify(claims)));
    yield `${await signing.setProtectedHeader({ alg: ALGORITHM, typ: TYPE }).sign(signs)}\n`;
  }
  await folder.replace(nameOf(statement.number), text());
  return { heads };
}

/** The lines that are no head of a chain yield undefined. @returns whether they are those that were signed. */
export async function* headsOf(
  folder: WitnessFolder,
  { name, heads, sha256 }: Signed,
): AsyncGenerator<HeadLine | undefined, boolean> {
  const hash = createHash('sha256');
  let count = 0;
  for await (const line of folder.lines(name)) {
    if (count === heads) break;
    count += 1;
    hash.update(`${line}\n`);
    yield parsed(headSchema, line);
  }
  return hash.digest('hex') === sha256;
}

function parsed<T>(schema: z.ZodType<T>, text: string): T | undefined {
  try {
    return schema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
