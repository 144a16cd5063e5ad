import type { ServerResponse } from 'node:http';
import { Readable, pipeline } from 'node:stream';
import { DomainError } from '../../domain/errors.ts';

/** A response of at least this many bytes is long. */
const LONG = 1_048_576;
/** The memory limit for all long responses that callers are still reading, in bytes. */
const MOST_HELD = 134_217_728;
/** How long a caller has to read a long response, in milliseconds. */
const READ_WITHIN_MS = 120_000;
const RETRY_AFTER_S = 5;

let held = 0;

/**
 * Refuses a long response while callers are still reading too many others. Call this function before anything is
 * stored. Memory is counted only when a response is sent, so simultaneous responses can exceed the limit.
 * @throws DomainError `dependency-unavailable`.
 */
export function requireRoomFor(bytes: number): void {
  if (bytes < LONG || held + bytes <= MOST_HELD) return;
  throw new DomainError(
    'dependency-unavailable',
    'The service is sending too many long responses at once. Try again in a moment.',
    {
      dependency: 'api',
      retry_after: RETRY_AFTER_S,
    },
  );
}

/**
 * Sends a body that consists of one or more parts. If the body is long, closes the connection of a caller who reads too
 * slowly.
 */
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
