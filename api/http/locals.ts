import type { Principal } from '../../domain/auth.ts';
import type { InputFault } from '../../domain/errors.ts';
import type { Body } from './body.ts';
import type { Operation } from './contract.ts';
import type { AnyCall } from './operations.ts';
import type { UploadPlace } from './uploads.ts';

/** The format of an error response: a problem document, an OAuth error or a page. */
export type Wording = 'problem' | 'oauth' | 'page';

/** What the middleware knows about a request, stored in `response.locals`. */
export interface Locals {
  /** The id of the request, set by the first middleware. */
  requestId: string;
  startedAt: number;
  /** The IP address of the caller. */
  address: string;
  /** The original path, without the query. */
  path: string;
  /** The requested operation. Set only for operations of the contract. */
  operation?: Operation;
  /** Whether the response can be delayed on purpose, for example by `Prefer: wait`. */
  held?: boolean;
  wording?: Wording;
  params?: Readonly<Record<string, string>>;
  /** The caller. Set after authentication, and never for a public operation. */
  principal?: Principal;
  /** The upload's slot. Set only for a request with a multipart form. */
  place?: UploadPlace;
  /** The parsed body. Set once the body has been read. */
  body?: Body;
  /** The whole query, including parameters that the contract does not declare. */
  query?: Readonly<Record<string, unknown>>;
  /** The canonical text of a request with an Idempotency-Key. */
  canonical?: string;
  /** Faults of the request that the validator does not report. */
  faults?: readonly InputFault[];
  /** The handler's argument, set once the request is valid. */
  call?: AnyCall;
}

type Found = Locals;
declare global {
  // Express declares the type of `response.locals` in this global namespace.
  // eslint-disable-next-line @typescript-eslint/no-namespace
  namespace Express {
    // eslint-disable-next-line @typescript-eslint/no-empty-object-type
    interface Locals extends Found {}
  }
}
