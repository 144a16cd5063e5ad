import type { IncomingHttpHeaders } from 'node:http';
import type { EarlyTransaction } from '../../activities/idempotency.ts';
import type { NewOwner } from '../../activities/reach.ts';
import type { Principal } from '../../domain/auth.ts';
import type { Tx } from '../../infra/db/transaction.ts';
import type { LongJson } from '../../infra/threads/long-json.ts';
import type { PublicOperation } from '../../openapi/public-operations.ts';
import type { operations } from '../../openapi/types.ts';
import type { MULTIPART, UploadedFile } from './request/multipart.ts';

export type OperationId = keyof operations;

/**
 * The operations whose database work can start before the Idempotency-Key is known to be new. If the key is not new,
 * the work is rolled back. `group` joins a group commit and allows only batch queries. `own` opens its own transaction.
 */
export const EARLY: Readonly<Partial<Record<OperationId, EarlyTransaction>>> = {
  calculatePaycheck: 'group',
  allocate: 'group',
  withdraw: 'group',
  transferBetweenVaults: 'group',
  storeVaultRecord: 'group',
  recordDebtPayment: 'own',
  executePayment: 'own',
};

/** The operations that accept an Idempotency-Key. Each runs in one transaction, which also stores its response. */
type KeyedOperation = {
  [Op in OperationId]: 'Idempotency-Key' extends HeaderOf<operations[Op]['parameters']> ? Op : never;
}[OperationId];
type HeaderOf<Given> = Given extends { header?: infer Headers } ? keyof Exclude<Headers, undefined> : never;

type Fallback<T, Otherwise> = [Exclude<T, undefined>] extends [never] ? Otherwise : Exclude<T, undefined>;
type Parameters<Op extends OperationId> = operations[Op]['parameters'];
type Given<Op extends OperationId, Place extends 'query' | 'path'> = Fallback<
  Parameters<Op>[Place],
  Readonly<Record<string, never>>
>;
type BodyOf<Content> = {
  [Type in keyof Content]: Type extends typeof MULTIPART ? FormOf<Content[Type]> : Content[Type];
}[keyof Content];
type FormOf<Fields> = Omit<Fields, 'file'> & { file: UploadedFile };
type Bodies<T> = T extends { content: infer Content } ? BodyOf<Content> : undefined;

export interface Call<Op extends OperationId> {
  params: Given<Op, 'path'>;
  query: Given<Op, 'query'>;
  body: Bodies<operations[Op]['requestBody']>;
  headers: IncomingHttpHeaders;
  principal: Op extends PublicOperation ? undefined : Principal;
  /** Set if the service does not know the owner yet. The first write must create the owner. */
  newOwner: NewOwner | undefined;
  /** The caller's IP address. */
  address: string;
  /** The transaction of an operation that accepts an Idempotency-Key. */
  tx: Op extends KeyedOperation ? Tx : undefined;
  /** Aborts if the caller disconnects before the response, or if the service stops. */
  signal: AbortSignal;
  /** The type that the caller prefers, by default the first. */
  accepts: <Type extends string>(types: readonly [Type, ...Type[]]) => Type;
}

export type AnyCall = Omit<Call<OperationId>, 'params' | 'query' | 'body' | 'principal' | 'tx'> & {
  params: Readonly<Record<string, string>>;
  query: Readonly<Record<string, unknown>>;
  body: unknown;
  principal: Principal | undefined;
  tx: Tx | undefined;
};

export interface AnyReply {
  status: number;
  body?: unknown;
  contentType?: string;
  raw?: string | Uint8Array;
  headers?: ReplyHeaders;
}

/** Undefined headers are not sent. */
export type ReplyHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

type Responses<Op extends OperationId> = operations[Op]['responses'];
type ContentOf<Response> = Response extends { content: infer Content } ? Exclude<Content, undefined> : never;

type ReplyOfType<Status, Content, Type extends keyof Content> = Type extends 'application/json'
  ? {
      status: Status;
      body: Content[Type] | LongJson<Content[Type]>;
      contentType?: never;
      raw?: never;
      headers?: ReplyHeaders;
    }
  : Type extends 'application/problem+json'
    ? never
    : {
        status: Status;
        contentType: Type;
        raw: string | Uint8Array;
        body?: never;
        headers?: ReplyHeaders;
      };

type ReplyOfStatus<Status, Content> = [Content] extends [never]
  ? { status: Status; body?: never; contentType?: never; raw?: never; headers?: ReplyHeaders }
  : { [Type in keyof Content]: ReplyOfType<Status, Content, Type> }[keyof Content];

/** `body` is JSON, and can be a `LongJson` from a worker thread. `raw` is any other body. */
export type Reply<Op extends OperationId> = {
  [Status in keyof Responses<Op>]: ReplyOfStatus<Status, ContentOf<Responses<Op>[Status]>>;
}[keyof Responses<Op>];

export type Handler<Op extends OperationId> = (call: Call<Op>) => Promise<Reply<Op>>;

/** Stored between `begin` and `finish`, so no personal data. */
export type UnderWay = Readonly<Record<string, string | number | boolean | null>>;

/**
 * `begin` stores the operation and the use of the Idempotency-Key in one transaction. After the commit, `finish` waits
 * for the result; a repeated request waits too. The reply of `finish` is stored for the key. With `keepsAnswer: false`,
 * a repeated request calls `finish` instead. `finish` is skipped if `begin` returns its reply as `ready`.
 */
export interface LongHandler<Op extends OperationId, Prepared = unknown> {
  keepsAnswer?: false;
  /** Slow work before the transaction, which a repeated request ignores. */
  prepare?: (call: Omit<Call<Op>, 'tx'>) => Promise<Prepared>;
  /** Can run more than once, each time with the settled promise of `prepare`. */
  begin(call: Call<Op>, prepared: Promise<Prepared>): Promise<Reply<Op> | { underWay: UnderWay; ready?: Reply<Op> }>;
  /** Needed if `begin` leaves work under way. */
  finish?: (call: Omit<Call<Op>, 'tx'>, underWay: UnderWay) => Promise<Reply<Op>>;
}

export type Handlers = { [Op in OperationId]: Handler<Op> | LongHandler<Op> };

export type Module = Partial<Handlers>;
