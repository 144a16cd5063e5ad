import type { operations } from './contract.ts';
import type { OPERATIONS, OperationName } from './operations.ts';

type Described<Name extends OperationName> = operations[Name];

type Parameters<Name extends OperationName> = Described<Name>['parameters'];

type BodyContent<Name extends OperationName> =
  Described<Name> extends { requestBody: { content: infer Content } } ? Content : never;

type BodyOf<Content> = Content extends { 'application/json': infer Json }
  ? Json
  : Content extends { 'multipart/form-data': infer Form }
    ? { [Part in keyof Form]: Part extends 'file' ? Blob : Form[Part] }
    : never;

type Part<Name extends string, T> = [T] extends [never]
  ? { [K in Name]?: never }
  : Record<string, never> extends T
    ? { [K in Name]?: T }
    : { [K in Name]: T };

type PathOf<Name extends OperationName> = Parameters<Name> extends { path: infer Path } ? Path : never;
type QueryOf<Name extends OperationName> =
  Parameters<Name> extends { query?: infer Query } ? ([Query] extends [never] ? never : NonNullable<Query>) : never;

export type Input<Name extends OperationName> = Part<'path', PathOf<Name>> &
  Part<'query', QueryOf<Name>> &
  Part<'body', BodyOf<BodyContent<Name>>>;

type GoodStatus = 200 | 201 | 202;
type Responses<Name extends OperationName> = Described<Name>['responses'];
type GoodContent<Name extends OperationName> = {
  [Status in keyof Responses<Name> & GoodStatus]: Responses<Name>[Status] extends { content: infer Content }
    ? Content
    : never;
}[keyof Responses<Name> & GoodStatus];
type KeysOf<Content> = Content extends unknown ? keyof Content : never;
type At<Content, Media> = Content extends unknown ? (Media extends keyof Content ? Content[Media] : never) : never;

export type MediaOf<Name extends OperationName> = KeysOf<GoodContent<Name>> & string;

export type DefaultMedia<Name extends OperationName> =
  'application/json' extends MediaOf<Name> ? 'application/json' : MediaOf<Name>;

/** Typed JSON, PDF as a Blob, other media as text, undefined without content. */
export type Output<Name extends OperationName, Media = DefaultMedia<Name>> = 204 extends keyof Responses<Name>
  ? undefined
  : [MediaOf<Name>] extends [never]
    ? undefined
    : Media extends 'application/json'
      ? At<GoodContent<Name>, 'application/json'>
      : Media extends 'application/pdf'
        ? Blob
        : string;

export interface CallOptions<Media extends string = string> {
  signal?: AbortSignal;
  /** The time limit for one response, in milliseconds. Overrides the client's `timeoutMs`. */
  timeoutMs?: number;
  /**
   * With this key, a repeated request takes effect once. The default is a new key for each call that accepts a key.
   * To repeat a call after a crash of your program, choose and store your own key.
   */
  idempotencyKey?: string;
  /** The media type of the response. The default is JSON, if the operation offers JSON. */
  accept?: Media;
  /** The expected `ETag` of the resource to change. If the resource has changed, the response is 412. */
  ifMatch?: string;
  /**
   * The seconds that the service may wait for a change before it responds. They extend the time limit.
   * Only for operations with the header `Prefer`.
   */
  wait?: number;
  /** Asks the service to respond immediately, before the work is done. */
  respondAsync?: boolean;
  /** For response headers such as `ETag`. */
  onResponse?: (response: Response) => void;
}

type Required1<T> = Record<string, never> extends T ? never : T;

export type Method<Name extends OperationName> = <Media extends MediaOf<Name> = DefaultMedia<Name>>(
  ...given: [Required1<Input<Name>>] extends [never]
    ? [input?: Input<Name>, options?: CallOptions<Media>]
    : [input: Input<Name>, options?: CallOptions<Media>]
) => Promise<Output<Name, Media>>;

export type Entry = (typeof OPERATIONS)[OperationName];
