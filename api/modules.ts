import type { Services } from '../infra/services.ts';
import { adminHandlers } from './admin.ts';
import { affordabilityHandlers } from './affordability.ts';
import { allocationHandlers } from './allocations.ts';
import { authHandlers } from './auth.ts';
import { bankAccountHandlers } from './bank-accounts.ts';
import { bankCallbackHandlers } from './bank-callback.ts';
import { bankHouseHandlers } from './bank-house.ts';
import { bankJourneyHandlers } from './bank-journey.ts';
import { bankWageHandlers } from './bank-wages.ts';
import { bankHandlers } from './bank.ts';
import { credentialHandlers } from './credential.ts';
import { debtHandlers } from './debt.ts';
import type { Contract } from './http/contract.ts';
import type { Module, OperationId } from './http/handlers.ts';
import { legacyHandlers } from './legacy.ts';
import { oauthHandlers } from './oauth.ts';
import { serviceHandlers } from './service.ts';
import { passwordHandlers } from './password.ts';
import { paycheckHandlers } from './paycheck.ts';
import { paydayHandlers } from './payday.ts';
import { paymentHandlers } from './payments.ts';
import { registrationHandlers } from './registration.ts';
import { proofHandlers } from './proof.ts';
import { identitySignInHandlers } from './identity-sign-in.ts';
import { sandboxHandlers } from './sandbox.ts';
import { signInHandlers } from './sign-in.ts';
import { vaultHandlers } from './vault.ts';
import { yieldHandlers } from './yield.ts';

/** Readiness fails once `isStopping` returns true. */
export function modulesOf(services: Services, { document }: Contract, isStopping: () => boolean): Module[] {
  const sandbox = sandboxHandlers(services);
  // Express tries modules in this order, so the busiest modules come first.
  const modules = [
    authHandlers(services),
    vaultHandlers(services),
    allocationHandlers(services),
    paycheckHandlers(services),
    paydayHandlers(services),
    paymentHandlers(services),
    oauthHandlers(services),
    // Programs and people share a path of these, and a path belongs to one module.
    { ...bankHandlers(services), ...bankJourneyHandlers(services) },
    debtHandlers(services),
    yieldHandlers(services),
    affordabilityHandlers(services),
    legacyHandlers(services),
    credentialHandlers(services),
    signInHandlers(services),
    passwordHandlers(services),
    registrationHandlers(services),
    proofHandlers(services),
    identitySignInHandlers(services),
    bankAccountHandlers(services),
    bankCallbackHandlers(services),
    bankHouseHandlers(services),
    bankWageHandlers(services),
    serviceHandlers(services, document, isStopping),
    adminHandlers(services),
    sandbox,
  ];
  const all: Complete<(typeof modules)[number]> = modules;
  return services.config.environment === 'sandbox' ? all : all.filter((module) => module !== sandbox);
}

type OperationsOf<Handling> = Handling extends unknown ? keyof Handling : never;
type Unhandled<Handling> = Exclude<OperationId, OperationsOf<Handling>>;
/** If an operation has no handler, the compiler names the operation. */
type Complete<Handling> = [Unhandled<Handling>] extends [never] ? Module[] : Unhandled<Handling>;
