import type { ServerResponse } from 'node:http';
import { pipeline } from 'node:stream';
import { DomainError } from '../../../domain/errors.ts';

/** In bytes. */
export const LONG = 1_048_576;
const PIECE = 65_536;
/** The most bytes of long responses that callers are still reading. */
const MOST_HELD = 134_217_728;
const READ_WITHIN_MS = 120_000;
const RETRY_AFTER_S = 5;

let held = 0;

/**
 * Call before anything is stored. Memory is counted only when a response is sent, so simultaneous responses can exceed
 * the limit.
 */
export function requireSpaceFor(bytes: number): void {
  if (bytes < LONG || held + bytes <= MOST_HELD) return;
  throw new DomainError(
    'dependency-unavailable',
    'The service is sending too many long responses at once. Try again in a moment.',
    { dependency: 'api', retry_after: RETRY_AFTER_S },
  );
}

/** Disconnects a caller who reads a long body too slowly. */
export function sendBody(response: ServerResponse, body: string | Uint8Array, bytes: number): void {
  if (bytes < LONG) {
    response.end(body);
    return;
  }
  hold(response, bytes);
  pipeline(piecesOf(typeof body === 'string' ? Buffer.from(body) : body), response, () => undefined);
}

/** TLS encrypts and buffers each piece as a whole. */
function* piecesOf(body: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < body.length; at += PIECE) yield body.subarray(at, at + PIECE);
}

function hold(response: ServerResponse, bytes: number): void {
  held += bytes;
  const patience = setTimeout(() => response.destroy(), READ_WITHIN_MS);
  response.once('close', () => {
    held -= bytes;
    clearTimeout(patience);
  });
}
