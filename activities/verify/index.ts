import { DAY_MS } from '../../domain/dates.ts';
import { reached } from '../../infra/db/queries/verify.ts';
import { readCheckpointKey } from '../../infra/witness/checkpoint-key.ts';
import { checkpointNames, isSignedBy, signedLineOf } from '../../infra/witness/checkpoint.ts';
import { openFolder } from '../../infra/witness/folder.ts';
import { AUDIT } from './audit.ts';
import { CHECKPOINTS } from './checkpoints.ts';
import { LEDGER } from './ledger.ts';
import { findKeyTampering } from '../auth/key-macs.ts';
import { findOutcomeTampering } from '../payments/outcome-macs.ts';
import { findPayeeTampering } from '../payments/payee-macs.ts';
import { findIncomeTampering } from '../paycheck/income-macs.ts';
import { findRecordTampering } from '../vault/record.ts';
import { findAccrualTampering } from '../yield/tampering.ts';
import { inPages, SLICES, type Fault, type Part, type Scope, type VerifyNeeds } from './part.ts';
import { SCHEMA } from './schema.ts';
import { settled } from './witness.ts';

/** Checkpoints last, so that all other parts are checked even if the folder cannot be read. */
export const PARTS: readonly Part[] = [
  LEDGER,
  AUDIT,
  SCHEMA,
  inPages('api key', findKeyTampering),
  inPages('asserted income', findIncomeTampering),
  inPages('payee', findPayeeTampering),
  inPages('payment outcome', findOutcomeTampering, { sliced: true }),
  inPages('record', findRecordTampering, { sliced: true }),
  inPages('accruals', findAccrualTampering, { sliced: true }),
  CHECKPOINTS,
];

export interface PartResult {
  part: Part['name'];
  checked: number;
  ms: number;
  skipped?: string;
  /** At most a hundred of `found`. */
  faults: Fault[];
  found: number;
}

export interface Verified {
  ok: boolean;
  parts: PartResult[];
  /** For the next checkpoint: up to where each part found no fault. */
  verified: Scope['verified'];
  begunAt: string;
}

/** Checks everything, or what is new since the newest checkpoint's marks and one slice of what is old. */
export async function verify(needs: VerifyNeeds, { all }: { all: boolean }): Promise<Verified> {
  const begunAt = (await needs.clock.real(needs.db)).toISOString();
  const scope = await scopeOf(needs, all);
  const parts: PartResult[] = [];
  const marks: Record<string, number> = {};
  for (const part of PARTS) {
    const startedAt = performance.now();
    const { checked, faults, found, mark, skipped } = await part.find(needs, scope);
    const ms = Math.round(performance.now() - startedAt);
    parts.push({ part: part.name, checked, ms, ...(skipped !== undefined && { skipped }), faults, found });
    if (mark !== undefined && found === 0 && scope.settled) marks[part.name] = mark;
  }
  const ok = parts.every(({ found }) => found === 0);
  return { ok, parts, verified: { ...scope.verified, ...marks }, begunAt };
}

async function scopeOf(needs: VerifyNeeds, all: boolean): Promise<Scope & { settled: boolean }> {
  const day = Math.floor((await needs.clock.real(needs.db)).getTime() / DAY_MS);
  const upto = await settled(needs.db);
  const { audit, ledger } = upto ?? (await needs.db.one(reached()));
  return {
    ...{ all, slice: day % SLICES, ...(await marksOf(needs)) },
    ...{ upto: { audit, ledger }, settled: upto !== undefined },
  };
}

/** None, so that everything is checked, if the newest checkpoint is not signed by this service. */
async function marksOf({ config: { witness } }: VerifyNeeds): Promise<Pick<Scope, 'verified' | 'since'>> {
  const folder = witness.folder === undefined ? undefined : openFolder(witness.folder);
  const name = folder && (await checkpointNames(folder)).at(-1);
  const newest = folder && name && (await signedLineOf(folder, name));
  if (!newest || !(await isSignedBy(await readCheckpointKey(witness.keyFile), newest.line)))
    return { verified: {}, since: EVER };
  return { verified: newest.verified, since: newest.verified_at ?? EVER };
}

const EVER = '1970-01-01T00:00:00.000Z';
