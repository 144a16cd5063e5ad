import { readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import type { Config } from '../../infra/config/index.ts';
import { isSame, known } from '../../infra/process/identity.ts';
import { checkpointsOf, type OwnParts } from './own-parts.ts';
import { StackError } from './processes.ts';

/* `stack.json` in the data folder tells commands in other terminals the addresses of the running stack. */

const content = z.object({
  /** Undefined if the stack does not run its own PostgreSQL. */
  stackId: z.string().optional(),
  /** If the folder was copied, this path differs, and no stack runs on the copy. */
  folder: z.string(),
  process: z.object({ pid: z.number(), startedAt: z.string().optional() }),
  settings: z.record(z.string(), z.string()),
  /** Settings with the address of an external part. Omits their values, which can contain passwords. */
  elsewhere: z.array(z.string()),
});

export type RunningStack = z.output<typeof content>;

const fileOf = (dataDir: string) => join(dataDir, 'stack.json');

/** @throws StackError if the file cannot be written. */
export function noteStack(config: Config, own: OwnParts, stackId: string | undefined): void {
  const checkpoints = checkpointsOf(config, own);
  const stack: RunningStack = {
    ...(stackId === undefined ? {} : { stackId }),
    folder: realpathSync(config.dataDir),
    process: known(process.pid),
    settings: { ...addressesOf(config), ...(checkpoints !== undefined && { CHECKPOINTS: checkpoints }) },
    elsewhere: [...(own.postgres ? [] : ['DATABASE_URL']), ...(own.temporal ? [] : ['TEMPORAL_ADDRESS'])],
  };
  // Removes a file that a killed stack left behind, because its permissions might be different.
  forgetStack(config.dataDir);
  const file = fileOf(config.dataDir);
  try {
    writeFileSync(file, `${JSON.stringify(stack, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    // A full disk leaves a part of the file.
    forgetStack(config.dataDir);
    throw new StackError(`The file ${file} could not be written: ${(error as Error).message}.`);
  }
}

export function forgetStack(dataDir: string): void {
  rmSync(fileOf(dataDir), { force: true });
}

/** Also checks the process, because the file of a killed stack remains. */
export function runningStack(dataDir: string): RunningStack | undefined {
  const stack = read(dataDir);
  return stack !== undefined && isSame({ startedAt: undefined, ...stack.process }) ? stack : undefined;
}

function read(dataDir: string): RunningStack | undefined {
  try {
    const { data } = content.safeParse(JSON.parse(readFileSync(fileOf(dataDir), 'utf8')));
    return data?.folder === realpathSync(dataDir) ? data : undefined;
  } catch (error) {
    // The stack of another user may run here.
    if ((error as NodeJS.ErrnoException).code === 'EACCES') throw error;
    return undefined;
  }
}

function addressesOf({ api, stack, temporal }: Config): Record<string, string> {
  return {
    RINGFENCE_PORT_API: String(api.port),
    RINGFENCE_PUBLIC_URL: api.publicUrl,
    RINGFENCE_PORT_POSTGRES: String(stack.postgresPort),
    RINGFENCE_PORT_TEMPORAL: String(stack.temporalPort),
    RINGFENCE_PORT_TEMPORAL_UI: String(stack.temporalUiPort),
    TEMPORAL_UI_URL: temporal.uiUrl,
    TEMPORAL_NAMESPACE: temporal.namespace,
    RINGFENCE_PORT_BANK: String(stack.bankPort),
  };
}
