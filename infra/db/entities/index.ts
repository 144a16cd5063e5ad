import * as affordability from './affordability.ts';
import * as allocations from './allocations.ts';
import * as auth from './auth.ts';
import * as clock from './clock.ts';
import * as credential from './credential.ts';
import * as debt from './debt.ts';
import * as legacy from './legacy.ts';
import * as operations from './operations.ts';
import * as paycheck from './paycheck.ts';
import * as payments from './payments.ts';
import * as signIn from './sign-in.ts';
import * as vault from './vault.ts';
import * as yields from './yield.ts';

const modules = {
  ...auth,
  ...signIn,
  ...paycheck,
  ...allocations,
  ...payments,
  ...vault,
  ...operations,
  ...debt,
  ...affordability,
  ...legacy,
  ...clock,
  ...yields,
  ...credential,
};

export const entities = Object.values(modules);
export type Entity = (typeof entities)[number];
