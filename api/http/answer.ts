import type { Request, Response } from 'express';
import { isLongJson, partsOf, type LongJson } from '../../infra/threads/long-json.ts';
import type { Operation } from './contract.ts';
import { requireRoomFor, sendParts } from './long-answers.ts';
import type { AnyReply } from './operations.ts';

export interface Packed {
  status: number;
  headers: Record<string, string | string[]>;
  /** The body to send: an array of parts if it is long, or null if there is none. */
  body: string | Uint8Array | readonly Uint8Array[] | null;
  /** The JSON value before serialisation. It is undefined for a replayed response, of which only the text is stored. */
  value?: unknown;
}

/**
 * A `LongJson` body of more than this many bytes is not checked against the contract: the check would delay other
 * requests.
 */
const MOST_CHECKED = 1_048_576;

/** Serialises a handler's reply. @throws DomainError `dependency-unavailable` if too many long responses are being sent. */
export function pack(reply: AnyReply): Packed {
  const headers: Packed['headers'] = {};
  for (const [name, value] of Object.entries(reply.headers ?? {})) {
    if (value !== undefined) headers[name] = typeof value === 'string' ? value : [...value];
  }
  const { status, raw, body, contentType } = reply;
  if (raw !== undefined) {
    headers['Content-Type'] = typeof raw === 'string' ? `${contentType}; charset=utf-8` : contentType!;
    return { status, headers, body: raw };
  }
  if (body === undefined) return { status, headers, body: null };
  if (isLongJson(body)) return packLong(status, headers, body);
  headers['Content-Type'] = 'application/json';
  return { status, headers, body: JSON.stringify(body), value: body };
}

function packLong(status: number, headers: Packed['headers'], long: LongJson<unknown>): Packed {
  const body = partsOf(long);
  requireRoomFor(sizeOf(body));
  return { status, headers: { ...headers, 'Content-Type': 'application/json' }, body };
}

/** Thrown if a handler's response does not match the contract, which is a bug in the service. */
class ContractBreach extends Error {
  override readonly name = 'ContractBreach';
}

/** @throws ContractBreach if the contract does not declare this status and media type. */
export function requireDeclared({ id, declared }: Operation, { status, headers }: Packed): void {
  const type = headers['Content-Type'];
  const types = declared.get(status);
  const fits = type === undefined ? types?.size === 0 : types?.has(String(type).split(';', 1)[0]!);
  if (fits) return;
  throw new ContractBreach(`${id} responded with ${status} as ${String(type)}, which the contract does not declare`);
}

/**
 * Sends an operation's response. If the contract allows 304 and the caller already has this `ETag`, sends 304 instead (RFC
 * 9110, 13.1.2).
 * @throws ContractBreach if responses are checked and the contract does not declare this response.
 */
export function sendAnswer(
  request: Request,
  response: Response,
  answer: Packed,
  { operation, checked }: { operation: Operation; checked: boolean },
): void {
  const { status, headers } = answer;
  if (checked) requireDeclared(operation, answer);
  if (operation.declared.has(304) && headers.ETag !== undefined) {
    response.status(status).setHeader('ETag', headers.ETag);
    if (request.fresh) {
      const { 'Content-Type': _type, ...others } = headers;
      send(response, { status: 304, headers: others, body: null });
      return;
    }
  }
  const value = checked ? valueOf(answer) : undefined;
  if (value === undefined) send(response, answer);
  else {
    for (const [name, each] of Object.entries(headers)) response.setHeader(name, each);
    // The validator checks only responses that are sent by `response.json`.
    response.status(status).json(value);
  }
}

function valueOf({ value, body }: Packed): unknown {
  if (!Array.isArray(body)) return value;
  return sizeOf(body as Uint8Array[]) > MOST_CHECKED ? undefined : JSON.parse(Buffer.concat(body).toString());
}

/** Sends a response, unless one was sent before or the caller has disconnected. */
export function send(response: Response, { status, headers, body }: Packed): void {
  if (response.headersSent || response.destroyed) return;
  response.statusCode = status;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  if (body === null) {
    if (status !== 204 && status !== 304) response.setHeader('Content-Length', 0);
    response.end();
    return;
  }
  const parts = typeof body === 'string' || body instanceof Uint8Array ? [body] : body;
  const bytes = sizeOf(parts);
  response.setHeader('Content-Length', bytes);
  sendParts(response, parts, bytes);
}

/** Replaces Express's `response.json`, which adds a charset to the media type. JSON has no charset (RFC 8259, 11). */
export function sendJson<This extends Response>(this: This, body: unknown): This {
  send(this, { status: this.statusCode, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) });
  return this;
}

function sizeOf(parts: readonly (string | Uint8Array)[]): number {
  return parts.reduce((total, part) => total + Buffer.byteLength(part), 0);
}
