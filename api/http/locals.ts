import type { Principal } from '../../domain/auth.ts';
import type { InputFault } from '../../domain/errors.ts';
import type { Body } from './body.ts';
import type { Operation } from './contract.ts';
import type { AnyCall } from './operations.ts';
import type { UploadPlace } from './uploads.ts';

/** A refusal is a problem document, an OAuth error or a page. */
export type Wording = 'problem' | 'oauth' | 'page';

/** What the middleware finds out about a request, as `response.locals`. Each member says from when on it is there. */
export interface Locals {
  /** From the first middleware on. */
  requestId: string;
  startedAt: number;
  /** The network address of the caller. */
  address: string;
  /** The path as it was sent, without the query. */
  path: string;
  /** For requests to an operation of the contract only. */
  operation?: Operation;
  /** Whether the answer waits for something by design. */
  held?: boolean;
  /** How a refusal is worded. */
  wording?: Wording;
  /** The parameters in the path. */
  params?: Readonly<Record<string, string>>;
  /** Once the credential is found to be good; never for a public operation. */
  principal?: Principal;
  /** For a form with files, until its files are not needed any more. */
  place?: UploadPlace;
  /** Once it is read. */
  body?: Body;
  /** The whole query, also what the contract does not know. */
  query?: Readonly<Record<string, unknown>>;
  /** The request in one form whatever the order of its members, where it has an Idempotency-Key that counts. */
  canonical?: string;
  /** What is wrong with the request beyond what the validator tells. */
  faults?: readonly InputFault[];
  /** What the handler is called with, once the request is found to be good. */
  call?: AnyCall;
}

type Found = Locals;
declare global {
  // Express has what its applications keep in `response.locals` declared here.
  // eslint-disable-next-line @typescript-eslint/no-namespace
  namespace Express {
    // eslint-disable-next-line @typescript-eslint/no-empty-object-type
    interface Locals extends Found {}
  }
}
