import { affordabilityActivities, simulateAffordability } from '../../activities/affordability.ts';
import { allocate, allocationActivities, transferBetweenVaults, withdraw } from '../../activities/allocations.ts';
import { authActivities } from '../../activities/auth.ts';
import { prepareReset, requestPasswordReset, resetPassword } from '../../activities/auth/password-reset.ts';
import { prepareRegistration, registerUser } from '../../activities/auth/register.ts';
import { beginSession } from '../../activities/auth/sessions.ts';
import { beginFamily } from '../../activities/auth/tokens.ts';
import { bind } from '../../activities/bind.ts';
import { moveClock, readClock } from '../../activities/clock.ts';
import { beginCredential, prepareCredential } from '../../activities/credential/generate.ts';
import { credentialActivities } from '../../activities/credential/index.ts';
import { revokeCredential } from '../../activities/credential/generate.ts';
import { prepareDebtPlan } from '../../activities/debt/create.ts';
import { createDebtPlan, debtActivities, recordDebtPayment } from '../../activities/debt/index.ts';
import { legacyActivities, uploadPayslip } from '../../activities/legacy/index.ts';
import { prepareUpload } from '../../activities/legacy/upload.ts';
import { calculatePaycheck, paycheckActivities } from '../../activities/paycheck/index.ts';
import { cancelPayment, executePayment, resolvePayment } from '../../activities/payments/commands.ts';
import { paymentActivities } from '../../activities/payments/index.ts';
import { addProvider, payeeActivities } from '../../activities/payments/payees.ts';
import { retryPayment } from '../../activities/payments/retry.ts';
import { signInActivities } from '../../activities/sign-in.ts';
import { storeVaultRecord, vaultOperations } from '../../activities/vault.ts';
import { prepareVaultRecord } from '../../activities/vault/store.ts';
import { accrueYield } from '../../activities/yield/accrue.ts';
import { yieldActivities } from '../../activities/yield/read.ts';
import type { Principal } from '../../domain/auth.ts';
import type { Services } from '../../infra/services.ts';
import type { AffordabilityRequest } from '../../openapi/types.ts';
import { afterPreparing, inTransactions } from './in-transactions.ts';

// Each set has the activities of one module. An activity of a transaction runs in a transaction of its own.

export const accountsOf = (services: Services) => ({
  ...authActivities(services),
  ...inTransactions(services, { beginFamily }),
  registerUser: afterPreparing(services, prepareRegistration, registerUser),
});

export const affordabilityOf = (services: Services) => ({
  ...affordabilityActivities(services),
  simulateAffordability: afterPreparing(
    services,
    (parts, request: AffordabilityRequest & { principal: Principal }) =>
      affordabilityActivities(parts).prepareCheck(request),
    simulateAffordability,
  ),
});

export const allocationsOf = (services: Services) => ({
  ...allocationActivities(services),
  ...inTransactions(services, { allocate, withdraw, transferBetweenVaults }),
});

export const clockOf = (services: Services) => ({
  ...bind(services, { readClock }),
  ...inTransactions(services, { moveClock }),
});

export const credentialsOf = (services: Services) => ({
  ...credentialActivities(services),
  ...inTransactions(services, { revokeCredential }),
  beginCredential: afterPreparing(services, prepareCredential, beginCredential),
});

export const debtsOf = (services: Services) => ({
  ...debtActivities(services),
  ...inTransactions(services, { recordDebtPayment }),
  createDebtPlan: afterPreparing(services, prepareDebtPlan, createDebtPlan),
});

export const documentsOf = (services: Services) => ({
  ...legacyActivities(services),
  uploadPayslip: afterPreparing(services, prepareUpload, uploadPayslip),
});

export const interestOf = (services: Services) => ({
  ...yieldActivities(services),
  ...inTransactions(services, { accrueYield }),
});

export const paychecksOf = (services: Services) => ({
  ...paycheckActivities(services),
  ...inTransactions(services, { calculatePaycheck }),
});

type NewPayee = Parameters<ReturnType<typeof payeeActivities>['preparePayee']>[0];

export const paymentsOf = (services: Services) => ({
  ...paymentActivities(services),
  ...bind(services, { resolvePayment }),
  ...inTransactions(services, { executePayment, retryPayment, cancelPayment }),
  addProvider: afterPreparing(
    services,
    (parts, request: NewPayee) => payeeActivities(parts).preparePayee(request),
    addProvider,
  ),
});

export const signInOf = (services: Services) => ({
  ...signInActivities(services),
  ...inTransactions(services, { beginSession, requestPasswordReset }),
  resetPassword: afterPreparing(services, prepareReset, resetPassword),
});

export const vaultOf = (services: Services) => ({
  ...vaultOperations(services),
  storeVaultRecord: afterPreparing(services, prepareVaultRecord, storeVaultRecord),
});
