import type { Request, Response } from 'express';
import type { Operation } from '../contract.ts';
import type { OpenExchange } from '../server/exchanges.ts';
import { LONG, sendBody } from './long-answers.ts';
import type { AnyReply } from '../handlers.ts';

export interface Packed {
  status: number;
  headers: Record<string, string | string[]>;
  body: string | Uint8Array | null;
  /** The value of a JSON body, for the check against the contract. */
  value?: unknown;
}

/** From this length on, an answer must have space before it is stored and sent. */
const SPACIOUS = 16_384;

/** @throws DomainError `too-many-bytes` if the caller leaves too much unread */
export function pack(reply: AnyReply, exchange: OpenExchange | undefined): Packed {
  const packed = packedOf(reply);
  const length = packed.body?.length ?? 0;
  if (length >= SPACIOUS) exchange?.reserve(length);
  return packed;
}

function packedOf(reply: AnyReply): Packed {
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
  headers['Content-Type'] = 'application/json';
  // Bytes in `body` are JSON that a worker thread has written.
  if (!(body instanceof Uint8Array)) return { status, headers, body: JSON.stringify(body), value: body };
  return { status, headers, body };
}

export function requireDeclared({ id, declared }: Operation, { status, headers }: Packed): void {
  const type = headers['Content-Type'];
  const types = declared.get(status);
  const fits = type === undefined ? types?.size === 0 : types?.has(String(type).split(';', 1)[0]!);
  if (fits) return;
  throw new Error(`${id} responded with ${status} as ${String(type)}, which the contract does not declare`);
}

/** Sends 304 if the contract declares 304 and the request's `If-None-Match` matches the `ETag` (RFC 9110, 13.1.2). */
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
    setHeaders(response, headers);
    // The validator checks only responses that are sent by `response.json`.
    response.status(status).json(value);
  }
}

/** Long or compressed JSON is not checked against the contract, because the check would delay other requests. */
function valueOf({ value, body, headers }: Packed): unknown {
  const { 'Content-Type': type, 'Content-Encoding': encoding } = headers;
  const isUnparsed = body instanceof Uint8Array && type === 'application/json' && encoding === undefined;
  return isUnparsed && body.length < LONG ? JSON.parse(Buffer.from(body).toString()) : value;
}

/** Earlier steps can name other headers in `Vary`. */
function setHeaders(response: Response, headers: Packed['headers']): void {
  for (const [name, value] of Object.entries(headers)) {
    if (name === 'Vary') response.vary(String(value));
    else response.setHeader(name, value);
  }
}

/** Does nothing if a response was sent before or the caller has disconnected. */
export function send(response: Response, { status, headers, body }: Packed): void {
  if (response.headersSent || response.destroyed) return;
  response.statusCode = status;
  setHeaders(response, headers);
  if (body === null) {
    if (status !== 204 && status !== 304) response.setHeader('Content-Length', 0);
    response.end();
    return;
  }
  const bytes = Buffer.byteLength(body);
  response.locals.exchange?.sent(bytes);
  response.setHeader('Content-Length', bytes);
  sendBody(response, body, bytes);
}

/** Replaces Express's `response.json`, which adds a charset. JSON has no charset (RFC 8259, 11). */
export function sendJson<This extends Response>(this: This, body: unknown): This {
  send(this, { status: this.statusCode, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) });
  return this;
}
