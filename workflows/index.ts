export { bankJourney } from './bank-journey.ts';
export { endBankConsent } from './bank.ts';
export { credential } from './credential.ts';
export { readPayslip } from './legacy.ts';
export { payment } from './payments.ts';
export { purgeExpired } from './retention.ts';
export { rotateMasterKey } from './vault-keys.ts';
export { accrueMonthly } from './yield.ts';
