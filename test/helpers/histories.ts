import { mkdir, writeFile } from 'node:fs/promises';
// Temporal's public API cannot save a history in the JSON format that a replay needs.
// eslint-disable-next-line no-restricted-syntax
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';

export type History = Parameters<typeof historyToJSON>[0];

/** Saves a workflow's history, which later versions must be able to replay. Does nothing without SAVE_HISTORIES=1. */
export async function keepHistory(folder: string, name: string, history: History): Promise<void> {
  if (process.env.SAVE_HISTORIES !== '1') return;
  await mkdir(folder, { recursive: true });
  await writeFile(`${folder}${name}.json`, historyJson(history));
}

export function historyJson(history: History): string {
  return historyToJSON(history);
}
