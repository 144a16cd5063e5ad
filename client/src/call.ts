import type { operations } from './contract.ts';
import type { OPERATIONS, OperationName } from './operations.ts';

/** Any operation of the contract, as openapi-typescript describes it. */
type Described<Name extends OperationName> = operations[Name];

type Parameters<Name extends OperationName> = Described<Name>['parameters'];

type BodyContent<Name extends OperationName> =
  Described<Name> extends { requestBody: { content: infer Content } } ? Content : never;

type BodyOf<Content> = Content extends { 'application/json': infer Json }
  ? Json
  : Content extends { 'multipart/form-data': infer Form }
    ? { [Part in keyof Form]: Part extends 'file' ? Blob : Form[Part] }
    : never;

/** Everything of a type that may be left out may be left out as a whole. */
type Part<Name extends string, T> = [T] extends [never]
  ? { [K in Name]?: never }
  : Record<string, never> extends T
    ? { [K in Name]?: T }
    : { [K in Name]: T };

type PathOf<Name extends OperationName> = Parameters<Name> extends { path: infer Path } ? Path : never;
type QueryOf<Name extends OperationName> =
  Parameters<Name> extends { query?: infer Query } ? ([Query] extends [never] ? never : NonNullable<Query>) : never;

/** What is sent: the parameters of the path, the query, and the body. */
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

/** The media types in which an operation answers. */
export type MediaOf<Name extends OperationName> = KeysOf<GoodContent<Name>> & string;

/** The one that is asked for where none is named: JSON where there is any. */
export type DefaultMedia<Name extends OperationName> =
  'application/json' extends MediaOf<Name> ? 'application/json' : MediaOf<Name>;

/** What a call gives: JSON as it is typed, PDF as a Blob, other media as text, nothing where there is no content. */
export type Output<Name extends OperationName, Media = DefaultMedia<Name>> = 204 extends keyof Responses<Name>
  ? undefined
  : [MediaOf<Name>] extends [never]
    ? undefined
    : Media extends 'application/json'
      ? At<GoodContent<Name>, 'application/json'>
      : Media extends 'application/pdf'
        ? Blob
        : string;

/** What may be said beside the input. */
export interface CallOptions<Media extends string = string> {
  signal?: AbortSignal;
  /** How long one answer may take, in milliseconds, instead of the client's `timeoutMs`. */
  timeoutMs?: number;
  /**
   * Names this request for the service, so that it takes effect once however often it is sent. Without one the client makes a
   * fresh one for each call. Give your own, and keep it, where the call may be made again after a crash of yours.
   */
  idempotencyKey?: string;
  /** One of the media types in which the operation answers, instead of JSON. */
  accept?: Media;
  /** The `ETag` of what is to be changed: 412 where it is another one by now. */
  ifMatch?: string;
  /** Seconds for which the answer may be held until something changes; for what can be polled. */
  wait?: number;
  /** Asks for the answer at once, before the work is done. */
  respondAsync?: boolean;
  /** Shown the answer before its body is read: for its headers, such as `ETag`. */
  onResponse?: (response: Response) => void;
}

type Required1<T> = Record<string, never> extends T ? never : T;

/** The method of an operation. Its input may be left out where nothing in it is required. */
export type Method<Name extends OperationName> = <Media extends MediaOf<Name> = DefaultMedia<Name>>(
  ...given: [Required1<Input<Name>>] extends [never]
    ? [input?: Input<Name>, options?: CallOptions<Media>]
    : [input: Input<Name>, options?: CallOptions<Media>]
) => Promise<Output<Name, Media>>;

/** An operation as the table has it. */
export type Entry = (typeof OPERATIONS)[OperationName];
