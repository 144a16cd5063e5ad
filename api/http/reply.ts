import type { ServerResponse } from 'node:http';
import { partsOf, type LongJson } from '../../infra/threads/long-json.ts';
import type { Operation } from './contract.ts';
import { requireRoomFor, sendParts } from './long-answers.ts';
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

/**
 * Makes a handler's reply ready. @throws ContractBreach when the contract does not declare it; DomainError `dependency-unavailable`
 * when it is long and there is no room for it.
 */
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
    const parts = partsOf(reply.long);
    await validation.checkLong(operation, reply.status, reply.long);
    requireRoomFor(sizeOf(parts));
    return { status: reply.status, headers, body: parts };
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
  const bytes = sizeOf(parts);
  response.setHeader('Content-Length', bytes);
  sendParts(response, parts, bytes);
}

function sizeOf(parts: readonly (string | Uint8Array)[]): number {
  return parts.reduce((total, part) => total + Buffer.byteLength(part), 0);
}
