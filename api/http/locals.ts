import type { Principal } from '../../domain/auth.ts';
import type { InputFault } from '../../domain/errors.ts';
import type { Body } from './request/body.ts';
import type { Operation } from './contract.ts';
import type { AnyCall } from './handlers.ts';
import type { UploadSlot } from './request/uploads.ts';
import type { OpenExchange } from './server/exchanges.ts';

export type Wording = 'problem' | 'oauth' | 'page';

export interface Locals {
  requestId: string;
  startedAt: number;
  address: string;
  /** The original path, without the query. */
  path: string;
  operation?: Operation;
  /** Whether the response can be delayed on purpose, for example by `Prefer: wait`. */
  held?: boolean;
  wording?: Wording;
  params?: Readonly<Record<string, string>>;
  principal?: Principal;
  slot?: UploadSlot;
  exchange?: OpenExchange | undefined;
  body?: Body;
  /** Includes parameters that the contract does not declare. */
  query?: Readonly<Record<string, unknown>>;
  /** The canonical text of a request with an Idempotency-Key. */
  canonical?: string;
  /** Faults that the validator does not report. */
  faults?: readonly InputFault[];
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
