import type { Services } from '../infra/services.ts';
import { adminHandlers } from './admin.ts';
import { affordabilityHandlers } from './affordability.ts';
import { allocationHandlers } from './allocations.ts';
import { authHandlers } from './auth.ts';
import { credentialHandlers } from './credential.ts';
import { debtHandlers } from './debt.ts';
import type { Contract } from './http/contract.ts';
import type { Handlers } from './http/operations.ts';
import { legacyHandlers } from './legacy.ts';
import { oauthHandlers } from './oauth.ts';
import { operationsHandlers } from './operations.ts';
import { passwordHandlers } from './password.ts';
import { paycheckHandlers } from './paycheck.ts';
import { paymentHandlers } from './payments.ts';
import { registrationHandlers } from './registration.ts';
import { proofHandlers } from './proof.ts';
import { providerSignInHandlers } from './provider-sign-in.ts';
import { sandboxHandlers, type SandboxOperation } from './sandbox.ts';
import { signInHandlers } from './sign-in.ts';
import { vaultHandlers } from './vault.ts';
import { yieldHandlers } from './yield.ts';

export type Module = Partial<Handlers>;

/** Readiness fails once `isStopping` returns true. */
export function modulesOf(services: Services, { document }: Contract, isStopping: () => boolean): Module[] {
  // Express tries modules in this order, so the busiest modules come first.
  const modules = {
    auth: authHandlers(services),
    vault: vaultHandlers(services),
    allocations: allocationHandlers(services),
    paycheck: paycheckHandlers(services),
    payments: paymentHandlers(services),
    oauth: oauthHandlers(services),
    debt: debtHandlers(services),
    yield: yieldHandlers(services),
    affordability: affordabilityHandlers(services),
    legacy: legacyHandlers(services),
    credential: credentialHandlers(services),
    signIn: signInHandlers(services),
    password: passwordHandlers(services),
    registration: registrationHandlers(services),
    proof: proofHandlers(services),
    providerSignIn: providerSignInHandlers(services),
    operations: operationsHandlers(services, document, isStopping),
    admin: adminHandlers(services),
  };
  const always = everyOperation<typeof modules, SandboxOperation>(modules);
  return services.config.environment === 'sandbox' ? [...always, sandboxHandlers(services)] : always;
}

type Handled<Modules> = { [Name in keyof Modules]: keyof Modules[Name] }[keyof Modules];

/** If an operation has no handler and is not in `Others`, the compiler names the operation. */
function everyOperation<Modules extends Record<string, Module>, Others extends keyof Handlers>(
  modules: Modules,
  ..._lacking: [Exclude<keyof Handlers, Handled<Modules> | Others>] extends [never]
    ? []
    : [Exclude<keyof Handlers, Handled<Modules> | Others>]
): Module[] {
  return Object.values(modules);
}
