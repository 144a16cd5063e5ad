import type { ServerResponse } from 'node:http';
import type { Operation } from './contract.ts';
import type { ReplyHeaders } from './operations.ts';
import type { Validation } from './validation.ts';

/** What any handler may give, without the types of its operation. */
export interface AnyReply {
  status: number;
  body?: unknown;
  contentType?: string;
  raw?: string | Uint8Array;
  headers?: ReplyHeaders;
}

/** An answer that is ready to be sent. */
export interface Packed {
  status: number;
  headers: Record<string, string | string[]>;
  body: string | Uint8Array | null;
}

/** Makes a handler's reply ready. @throws ContractBreach when the contract does not declare it. */
export function pack(operation: Operation, reply: AnyReply, validation: Validation): Packed {
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
  if (reply.body === undefined) {
    validation.checkResponse(operation, reply.status, undefined, undefined);
    return { status: reply.status, headers, body: null };
  }
  headers['Content-Type'] = 'application/json';
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
  response.setHeader('Content-Length', Buffer.byteLength(body));
  response.end(body);
}
