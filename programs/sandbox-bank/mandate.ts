import { isDeepStrictEqual } from 'node:util';
import { consentMonth } from '../../domain/bank/limits.ts';
import { londonDateOf, monthStartOf, startOfLondonDay } from '../../domain/dates.ts';
import { record } from '../../infra/bank/obie-4.0/json.ts';
import type { BankClock } from './clock.ts';
import type { Consent } from './consents.ts';
import type { Fault } from './exchange.ts';
import type { Instruction } from './instruction.ts';
import type { BankStore } from './store.ts';
import { paymentTerms, vrpTermsOf } from './vrp-consents.ts';

/** What the instruction has that the payer's consent does not permit, but for its limits. */
export function faultOfMandate(consent: Consent, instruction: Instruction, now: Date): Fault | null {
  if (consent.status !== 'AUTH') return { code: 'U009', message: 'The consent is not authorised.' };
  const agreed = vrpTermsOf(consent);
  const { Data, Risk } = JSON.parse(instruction.request) as { Data: Record<string, unknown>; Risk: unknown };
  const { CreditorAccount: payee } = record(Data['Instruction']);
  const mismatch = (path: string): Fault => ({ code: 'U008', message: 'The consent says otherwise.', path });
  if (!isDeepStrictEqual(Data['Initiation'], agreed.Data.Initiation)) return mismatch('Data.Initiation');
  if (!isDeepStrictEqual(payee, agreed.Data.Initiation.CreditorAccount))
    return mismatch('Data.Instruction.CreditorAccount');
  if (!isDeepStrictEqual(Risk, agreed.Risk)) return mismatch('Risk');
  const { VRPType, PSUAuthenticationMethods: methods } = agreed.Data.ControlParameters;
  if (!VRPType.includes(String(Data['VRPType']))) return mismatch('Data.VRPType');
  if (!methods.includes(String(Data['PSUAuthenticationMethod']))) return mismatch('Data.PSUAuthenticationMethod');
  const { validFrom } = paymentTerms(consent);
  if (validFrom !== null && now < new Date(validFrom))
    return { code: 'U014', message: 'The consent is not valid yet.', path: 'Data.ControlParameters.ValidFromDateTime' };
  return null;
}

export function faultOfLimits(
  consent: Consent,
  { amount }: Instruction,
  { store, clock }: { store: BankStore; clock: BankClock },
): Fault | null {
  const { perPayment, perMonth, validFrom, alignment } = paymentTerms(consent);
  const over = (path: string): Fault => ({
    code: 'U014',
    message: 'The payment is over a limit of the consent.',
    path: `Data.ControlParameters.${path}`,
  });
  if (amount > perPayment) return over('MaximumIndividualAmount');
  const today = londonDateOf(clock.now());
  const first = londonDateOf(new Date(validFrom ?? consent.createdAt));
  const month = alignment === 'Calendar' ? monthStartOf(today) : consentMonth(first, today).from;
  const paid = store.paidBy(consent.id, startOfLondonDay(month).toISOString());
  return paid + amount > perMonth ? over('PeriodicLimits') : null;
}
