import * as allocations from './allocations.ts';
import * as auth from './auth.ts';
import * as operations from './operations.ts';
import * as paycheck from './paycheck.ts';
import * as payments from './payments.ts';
import * as vault from './vault.ts';

/** Every table of the service. */
export const entities = [auth, paycheck, allocations, payments, vault, operations].flatMap((module): unknown[] =>
  Object.values(module),
);
