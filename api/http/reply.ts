import type { ServerResponse } from 'node:http';
import { Readable, pipeline } from 'node:stream';
import { partsOf, type LongJson } from '../../infra/threads/long-json.ts';
import type { Operation } from './contract.ts';
import type { ReplyHeaders } from './operations.ts';
import type { Validation } from './validation.ts';

/** What any handler may give, without the types of its operation. */
export interface AnyReply {
  status: number;
  body?: unknown;
  long?: LongJson<unknown>;
  contentType?: string;
  raw?: string | Uint8Array;
  headers?: ReplyHeaders;
}

/** An answer that is ready to be sent. */
export interface Packed {
  status: number;
  headers: Record<string, string | string[]>;
  /** Parts of it where it is long. */
  body: string | Uint8Array | readonly Uint8Array[] | null;
}

/** Makes a handler's reply ready. @throws ContractBreach when the contract does not declare it. */
export async function pack(operation: Operation, reply: AnyReply, validation: Validation): Promise<Packed> {
  const headers: Packed['headers'] = {};
  for (const [name, value] of Object.entries(reply.headers ?? {})) {
    if (value !== undefined) headers[name] = typeof value === 'string' ? value : [...value];
  }
  if (reply.raw !== undefined) {
    headers['Content-Type'] =
      typeof reply.raw === 'string' ? `${reply.contentType}; charset=utf-8` : reply.contentType!;
    validation.checkDeclared(operation, reply.status, reply.contentType!);
    return { status: reply.status, headers, body: reply.raw };
  }
  if (reply.body === undefined && reply.long === undefined) {
    validation.checkResponse(operation, reply.status, undefined, undefined);
    return { status: reply.status, headers, body: null };
  }
  headers['Content-Type'] = 'application/json';
  if (reply.long !== undefined) {
    await validation.checkLong(operation, reply.status, reply.long);
    return { status: reply.status, headers, body: partsOf(reply.long) };
  }
  validation.checkResponse(operation, reply.status, 'application/json', reply.body);
  return { status: reply.status, headers, body: JSON.stringify(reply.body) };
}

/** Sends an answer, once; nothing where the caller is gone. */
export function send(response: ServerResponse, { status, headers, body }: Packed): void {
  if (response.headersSent || response.destroyed) return;
  response.statusCode = status;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  if (body === null) {
    if (status !== 204 && status !== 304) response.setHeader('Content-Length', 0);
    response.end();
    return;
  }
  const parts = typeof body === 'string' || body instanceof Uint8Array ? [body] : body;
  response.setHeader(
    'Content-Length',
    parts.reduce((total, part) => total + Buffer.byteLength(part), 0),
  );
  if (parts.length === 1) response.end(parts[0]);
  // A long one goes as fast as the caller takes it. Where that goes away there is nobody to tell.
  else pipeline(Readable.from(parts), response, () => undefined);
}
