import type { IncomingHttpHeaders } from 'node:http';
import type { EarlyTransaction } from '../../activities/idempotency.ts';
import type { NewOwner } from '../../activities/reach.ts';
import type { Principal } from '../../domain/auth.ts';
import type { LongJson } from '../../infra/threads/long-json.ts';
import type { operations } from '../../openapi/types.ts';
import type { MULTIPART, UploadedFile } from './multipart.ts';

/** Every operation of the contract. */
export type OperationId = keyof operations;

/**
 * Operations that need no credential, `x-scope: public` in the contract. The contract's extensions are lost in the generated
 * types, so the names stand here again; the app refuses to start where the two differ.
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
 * Operations whose handlers begin with database work only. Under an Idempotency-Key they may begin before the key is known to
 * be new; if it is not new, they are rolled back. `group` joins a group commit and takes batch queries only
 * (`Database.groupTransaction`); `own` is a transaction of its own.
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

/** A request that matches the contract, and who sent it. Query values are of the contract's types, defaults filled in. */
export interface Call<Op extends OperationId> {
  operationId: Op;
  params: Given<Op, 'path'>;
  query: Given<Op, 'query'>;
  body: Bodies<operations[Op]['requestBody']>;
  /** All headers as they came, in lower case. */
  headers: IncomingHttpHeaders;
  principal: Op extends PublicOperation ? undefined : Principal;
  /** The owner that the request names, where there is no record of it yet. What writes for an owner binds it. */
  newOwner: NewOwner | undefined;
  /** The caller's network address, for rate limits. */
  address: string;
  requestId: string;
  /** Aborted when the caller went away before there was an answer, or the service stops. */
  signal: AbortSignal;
  /**
   * The one of these types that the caller likes best; the first of them where it has no preference.
   * @throws DomainError `not-acceptable` when it takes none of them.
   */
  accepts: <Type extends string>(types: readonly [Type, ...Type[]]) => Type;
}

/** A call once it is no longer known of which operation it is. */
export type AnyCall = Omit<Call<OperationId>, 'params' | 'query' | 'body' | 'principal'> & {
  params: Readonly<Record<string, string>>;
  query: Readonly<Record<string, unknown>>;
  body: unknown;
  principal: Principal | undefined;
};

/** What any handler may give, without the types of its operation. */
export interface AnyReply {
  status: number;
  body?: unknown;
  contentType?: string;
  raw?: string | Uint8Array;
  headers?: ReplyHeaders;
}

/** Headers of a reply; those that are undefined are left out. */
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
 * What a handler may answer: a status that the contract declares for the operation, with the body declared for it. A long
 * JSON body may come from a thread. `raw` is a body that is not JSON. Refusals are thrown, as a DomainError.
 */
export type Reply<Op extends OperationId> = {
  [Status in keyof Responses<Op>]: ReplyOfStatus<Status, ContentOf<Responses<Op>[Status]>>;
}[keyof Responses<Op>];

export type Handler<Op extends OperationId> = (call: Call<Op>) => Promise<Reply<Op>>;

/** What was begun and stored, for `finish`: ids and wishes, no personal data. */
export type UnderWay = Readonly<Record<string, string | number | boolean | null>>;

/**
 * Handles an operation that is stored at once and done later. `begin` stores it, in one transaction with the claim on the
 * Idempotency-Key, and replies or names what is under way. `finish` waits for the end after the commit; a request that is
 * repeated before there was a reply waits again. The key keeps the reply of `finish`. With `keepsAnswer: false` the key keeps
 * no reply, and each repetition gets the present state.
 */
export interface LongHandler<Op extends OperationId, Prepared = unknown> {
  keepsAnswer?: false;
  /** What takes a while and stores nothing, so that no connection waits for it. `begin` may take its result more than once. */
  prepare?: (call: Call<Op>) => Promise<Prepared>;
  begin(call: Call<Op>, prepared: Prepared): Promise<Reply<Op> | { underWay: UnderWay }>;
  finish: (call: Call<Op>, underWay: UnderWay) => Promise<Reply<Op>>;
}

/** One handler for each of the named operations: what a module's file in `api/` makes. */
export type HandlersOf<Ops extends OperationId> = { [Op in Ops]: Handler<Op> };

/** All of them; where one is missing, the app does not compile. */
export type Handlers = { [Op in OperationId]: Handler<Op> | LongHandler<Op> };
