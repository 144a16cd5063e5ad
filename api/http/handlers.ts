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
  once: Op extends KeyedOperation ? Once<Reply<Op>> : undefined;
  begin: Op extends KeyedOperation ? Begin : undefined;
  /** Aborts if the caller disconnects before the response, or if the service stops. */
  signal: AbortSignal;
  /** Takes space for a long answer before something is stored. @throws DomainError for example `too-many-bytes` */
  space: (bytes: number) => void;
  /** The type that the caller prefers, by default the first. */
  accepts: <Type extends string>(types: readonly [Type, ...Type[]]) => Type;
}

/**
 * Runs `work` in one transaction, which also stores the reply for the Idempotency-Key. For a repeated request it does
 * not return: the caller gets the stored reply. `work` can run more than once, but only one run commits.
 */
type Once<Answer> = (work: (tx: Tx) => Promise<Answer>) => Promise<Answer>;

/**
 * For work that goes on after its transaction: stores what `work` returns in place of the reply, without personal data.
 * For a repeated request it returns what the first request stored.
 */
type Begin = <Begun extends Readonly<Record<string, string | number | boolean | null>>>(
  work: (tx: Tx) => Promise<Begun>,
) => Promise<Begun>;

export type AnyCall = Omit<Call<OperationId>, 'params' | 'query' | 'body' | 'principal' | 'once' | 'begin'> & {
  params: Readonly<Record<string, string>>;
  query: Readonly<Record<string, unknown>>;
  body: unknown;
  principal: Principal | undefined;
  once: Once<AnyReply> | undefined;
  begin: Begin | undefined;
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

export type Handlers = { [Op in OperationId]: Handler<Op> };

/** A handler of any operation. Its call comes from a request that was checked against the operation's contract. */
export type AnyHandler = (call: AnyCall) => Promise<AnyReply>;

export type Module = Partial<Handlers>;
