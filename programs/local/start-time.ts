import { readFileSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';

const NOTE = resolve(import.meta.dirname, '..', '..', '.cache', 'start-began');

/** Includes the installation. `tools/bootstrap.js`, an earlier process of `npm start`, notes when it began. */
export function secondsSinceStart(note = NOTE): string {
  return ((Date.now() - began(note)) / 1_000).toFixed(1);
}

function began(note: string): number {
  const ownStart = Date.now() - process.uptime() * 1_000;
  if (process.env.npm_lifecycle_event !== 'start') return ownStart;
  try {
    const noted = Number(readFileSync(note, 'utf8'));
    rmSync(note);
    return noted;
  } catch {
    return ownStart;
  }
}
