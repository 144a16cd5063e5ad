export { createClient, type Client, type ClientOptions } from './client.ts';
export type { CallOptions, Input, MediaOf, Output } from './call.ts';
export type { ProblemCode } from './codes.ts';
export type { components, operations, paths } from './contract.ts';
export type { Credential, OnTokens, TokenSet } from './credentials.ts';
export {
  isProblem,
  NoAnswerError,
  OAuthError,
  ProblemError,
  RingfenceError,
  UnexpectedAnswerError,
  WaitedTooLongError,
  type Refusal,
} from './errors.ts';
export type { Methods } from './methods.ts';
export { OPERATIONS, type OperationName } from './operations.ts';
export { itemsOf } from './pages.ts';
export type { Fetch, RetryOptions } from './retry.ts';
export type { WaitOptions, Waits } from './wait.ts';
