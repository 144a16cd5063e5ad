import type { ServerResponse } from 'node:http';
import { Readable, pipeline } from 'node:stream';
import { DomainError } from '../../domain/errors.ts';

/** An answer from this size on is long, in bytes. */
const LONG = 1_048_576;
/** What long answers together may take of the memory while their callers read them. */
const MOST_HELD = 134_217_728;
/** How long a caller may take to read one. */
const READ_WITHIN_MS = 120_000;
const RETRY_AFTER_S = 5;

let held = 0;

/**
 * Call it before anything is stored, so that a refusal leaves nothing behind. Sending the answer takes the room. Answers that are
 * ready at once may therefore exceed it, by one for each thread.
 * @throws DomainError `dependency-unavailable` where so many bytes are long, and too many are being read already.
 */
export function requireRoomFor(bytes: number): void {
  if (bytes < LONG || held + bytes <= MOST_HELD) return;
  throw new DomainError(
    'dependency-unavailable',
    'The service is sending too many long answers at once. Try again in a moment.',
    {
      dependency: 'answers',
      retry_after: RETRY_AFTER_S,
    },
  );
}

/** Sends a body in parts, as fast as the caller reads. Closes the connection of a caller who reads too slowly. */
export function sendParts(response: ServerResponse, parts: readonly (string | Uint8Array)[], bytes: number): void {
  if (bytes >= LONG) hold(response, bytes);
  if (parts.length === 1) response.end(parts[0]);
  else pipeline(Readable.from(parts), response, () => undefined);
}

function hold(response: ServerResponse, bytes: number): void {
  held += bytes;
  const patience = setTimeout(() => response.destroy(), READ_WITHIN_MS);
  response.once('close', () => {
    held -= bytes;
    clearTimeout(patience);
  });
}
