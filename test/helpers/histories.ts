import { mkdir, writeFile } from 'node:fs/promises';
// Nothing in Temporal's public API writes a history in the form that its replays read.
// eslint-disable-next-line no-restricted-syntax
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';

/** A history as Temporal's client gives it. */
export type History = Parameters<typeof historyToJSON>[0];

/**
 * Saves a history that every later version of its workflow must be able to replay; does nothing without
 * SAVE_HISTORIES=1.
 */
export async function keepHistory(folder: string, name: string, history: History): Promise<void> {
  if (process.env.SAVE_HISTORIES !== '1') return;
  await mkdir(folder, { recursive: true });
  await writeFile(`${folder}${name}.json`, historyJson(history));
}

/** A history as JSON text. */
export function historyJson(history: History): string {
  return historyToJSON(history);
}
