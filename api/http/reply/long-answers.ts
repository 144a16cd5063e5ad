import type { ServerResponse } from 'node:http';
import { pipeline } from 'node:stream';

/** In bytes. The check against the contract leaves out longer JSON. */
export const LONG = 1_048_576;
const PIECE = 65_536;

/** TLS encrypts and buffers what it gets as a whole. So a long body goes out in pieces, each when the last has left. */
export function sendBody(response: ServerResponse, body: string | Uint8Array, bytes: number): void {
  if (bytes <= PIECE) {
    response.end(body);
    return;
  }
  pipeline(piecesOf(typeof body === 'string' ? Buffer.from(body) : body), response, () => undefined);
}

function* piecesOf(body: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < body.length; at += PIECE) yield body.subarray(at, at + PIECE);
}
