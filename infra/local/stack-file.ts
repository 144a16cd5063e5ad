import { readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import type { Config } from '../config.ts';
import { isSame, known } from '../process/identity.ts';
import type { OwnParts } from './own-parts.ts';

/* What a running stack says of itself to the commands of a second terminal: `stack.json` in its data folder. */

const content = z.object({
  /** As the database has it; none where the settings place the database elsewhere. */
  stackId: z.string().optional(),
  /** A copy of the folder is no stack. */
  folder: z.string(),
  process: z.object({ pid: z.number(), startedAt: z.string().optional() }),
  /** Where its parts are, by the names of the settings. */
  settings: z.record(z.string(), z.string()),
  /** The settings that place a part elsewhere: they may hold passwords, so they are not kept here. */
  elsewhere: z.array(z.string()),
});

/** A stack that runs on a data folder. */
export type RunningStack = z.output<typeof content>;

const fileOf = (dataDir: string) => join(dataDir, 'stack.json');

/** Writes down that this process runs a stack there, for this user alone. `stackId` is that of the database which it made. */
export function noteStack(config: Config, own: OwnParts, stackId: string | undefined): void {
  const file = fileOf(config.dataDir);
  const stack: RunningStack = {
    ...(stackId === undefined ? {} : { stackId }),
    folder: realpathSync(config.dataDir),
    process: known(process.pid),
    settings: addressesOf(config),
    elsewhere: [...(own.postgres ? [] : ['DATABASE_URL']), ...(own.temporal ? [] : ['TEMPORAL_ADDRESS'])],
  };
  // What a killed stack left may have other rights.
  rmSync(`${file}.new`, { force: true });
  writeFileSync(`${file}.new`, `${JSON.stringify(stack, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
  renameSync(`${file}.new`, file);
}

export function forgetStack(dataDir: string): void {
  for (const file of [fileOf(dataDir), `${fileOf(dataDir)}.new`]) rmSync(file, { force: true });
}

/** The stack that runs on a data folder. One that was killed left its file, but not its process. */
export function runningStack(dataDir: string): RunningStack | undefined {
  const stack = read(dataDir);
  return stack !== undefined && isSame({ startedAt: undefined, ...stack.process }) ? stack : undefined;
}

function read(dataDir: string): RunningStack | undefined {
  try {
    const { data } = content.safeParse(JSON.parse(readFileSync(fileOf(dataDir), 'utf8')));
    return data?.folder === realpathSync(dataDir) ? data : undefined;
  } catch {
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
