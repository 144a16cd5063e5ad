import type { IncomingHttpHeaders } from 'node:http';
import type { EarlyTransaction } from '../../activities/idempotency.ts';
import type { NewOwner } from '../../activities/reach.ts';
import type { Principal } from '../../domain/auth.ts';
import type { LongJson } from '../../infra/threads/long-json.ts';
import type { operations } from '../../openapi/types.ts';
import type { MULTIPART, UploadedFile } from './multipart.ts';

export type OperationId = keyof operations;

/**
 * Operations that need no access token or API key (`x-scope: public`). The generated types do not contain the
 * contract's extensions, so we repeat the names here. The app refuses to start if the names differ from the contract.
 */
export const PUBLIC_OPERATIONS = [
  'registerUser',
  'showCreateAccount',
  'createAccount',
  'login',
  'refreshTokens',
  'authorize',
  'signIn',
  'answerConsent',
  'signOut',
  'showForgotPassword',
  'forgotPassword',
  'showResetPassword',
  'resetPassword',
  'showVerifyEmail',
  'verifyEmail',
  'showLinkProvider',
  'linkProvider',
  'signInWithProvider',
  'completeProviderSignIn',
  'exchangeToken',
  'revokeToken',
  'introspectToken',
  'readAuthorizationServer',
  'verifyCredential',
  'verifyPresentedCredential',
  'readStatusList',
  'readCredentialKeys',
  'readCredentialIssuer',
  'readCredentialType',
  'checkLive',
  'checkReady',
  'readContract',
  'listProblems',
  'explainProblem',
] as const satisfies readonly OperationId[];

/**
 * Operations whose handlers start with database work. That work can start before the Idempotency-Key is known to be new. If the
 * key is not new, the work is rolled back. `group` joins a group commit and allows only batch queries
 * (`Database.groupTransaction`). `own` opens its own transaction.
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

export type PublicOperation = (typeof PUBLIC_OPERATIONS)[number];

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

/** A valid request with its caller. Query values have the contract's types, defaults included. */
export interface Call<Op extends OperationId> {
  operationId: Op;
  params: Given<Op, 'path'>;
  query: Given<Op, 'query'>;
  body: Bodies<operations[Op]['requestBody']>;
  /** All headers of the request, with names in lower case. */
  headers: IncomingHttpHeaders;
  principal: Op extends PublicOperation ? undefined : Principal;
  /** The owner of the request, if the service does not know the owner yet. The first write must create the owner. */
  newOwner: NewOwner | undefined;
  /** The caller's IP address, for rate limits. */
  address: string;
  requestId: string;
  /** A signal that aborts if the caller disconnects before the response, or if the service stops. */
  signal: AbortSignal;
  /**
   * The type in `types` that the caller prefers, by default the first. @throws DomainError `not-acceptable` if none is
   * accepted.
   */
  accepts: <Type extends string>(types: readonly [Type, ...Type[]]) => Type;
}

/** The call of any operation, without operation-specific types. */
export type AnyCall = Omit<Call<OperationId>, 'params' | 'query' | 'body' | 'principal'> & {
  params: Readonly<Record<string, string>>;
  query: Readonly<Record<string, unknown>>;
  body: unknown;
  principal: Principal | undefined;
};

/** The reply of any handler, without operation-specific types. */
export interface AnyReply {
  status: number;
  body?: unknown;
  contentType?: string;
  raw?: string | Uint8Array;
  headers?: ReplyHeaders;
}

/** Headers of a reply. Undefined headers are not sent. */
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

/**
 * A handler's reply: a status that the contract declares, with the declared body. A long JSON body can come from a worker
 * thread. `raw` is a body that is not JSON. To reject a request, a handler throws a DomainError.
 */
export type Reply<Op extends OperationId> = {
  [Status in keyof Responses<Op>]: ReplyOfStatus<Status, ContentOf<Responses<Op>[Status]>>;
}[keyof Responses<Op>];

export type Handler<Op extends OperationId> = (call: Call<Op>) => Promise<Reply<Op>>;

/** The stored state between `begin` and `finish`: ids and options, no personal data. */
export type UnderWay = Readonly<Record<string, string | number | boolean | null>>;

/**
 * Handles an operation that is stored immediately and completed later. `begin` stores the operation and the use of the
 * Idempotency-Key in one transaction. It returns either a reply or the state for `finish`. After the commit, `finish`
 * waits for the result; a repeated request waits too. The reply of `finish` is stored for the key. With `keepsAnswer:
 * false`, a repeated request gets the current state instead.
 */
export interface LongHandler<Op extends OperationId, Prepared = unknown> {
  keepsAnswer?: false;
  /**
   * Slow work that stores nothing. It runs first, so that it occupies no database connection. The result can be passed
   * to `begin` more than once.
   */
  prepare?: (call: Call<Op>) => Promise<Prepared>;
  begin(call: Call<Op>, prepared: Prepared): Promise<Reply<Op> | { underWay: UnderWay }>;
  finish: (call: Call<Op>, underWay: UnderWay) => Promise<Reply<Op>>;
}

export type HandlersOf<Ops extends OperationId> = { [Op in Ops]: Handler<Op> };

/** All handlers. The compiler reports a missing handler. */
export type Handlers = { [Op in OperationId]: Handler<Op> | LongHandler<Op> };
