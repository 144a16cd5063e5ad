import * as z from 'zod';
import { minorUnitsOf } from './amounts.ts';
import type { Consent } from './consents.ts';

const pounds = z.strictObject({
  Amount: z.string().refine((amount) => (minorUnitsOf(amount) ?? 0) > 0),
  Currency: z.literal('GBP'),
});
const account = z.strictObject({
  SchemeName: z.literal('UK.OBIE.SortCodeAccountNumber'),
  Identification: z.string().regex(/^\d{14}$/),
  Name: z.string().min(1).max(70),
});
const instant = z.iso.datetime({ offset: true });
const monthly = z.strictObject({
  PeriodType: z.literal('Month'),
  PeriodAlignment: z.enum(['Consent', 'Calendar']),
  ...pounds.shape,
});

/** The part of OBDomesticVRPConsentRequest 4.0 that this bank agrees to. Each consent names one payee. */
export const vrpConsentRequest = z.strictObject({
  Data: z.strictObject({
    ReadRefundAccount: z.enum(['Yes', 'No']).optional(),
    ControlParameters: z.strictObject({
      ValidFromDateTime: instant.optional(),
      ValidToDateTime: instant.optional(),
      MaximumIndividualAmount: pounds,
      PeriodicLimits: z.tuple([monthly]),
      VRPType: z.array(z.string().startsWith('UK.OBIE.VRPType.')).min(1),
      PSUAuthenticationMethods: z.array(z.string()).min(1),
      PSUInteractionTypes: z.array(z.enum(['InSession', 'OffSession'])).optional(),
    }),
    Initiation: z.strictObject({ CreditorAccount: account, RemittanceInformation: z.looseObject({}).optional() }),
  }),
  Risk: z.looseObject({}),
});

export type VrpConsentRequest = z.output<typeof vrpConsentRequest>;

export function vrpRequestOf({ request }: Consent): VrpConsentRequest {
  return JSON.parse(request) as VrpConsentRequest;
}

/** In pence. */
export function paymentTerms(consent: Consent) {
  const { ControlParameters: control, Initiation } = vrpRequestOf(consent).Data;
  const { Identification: number, Name: payee } = Initiation.CreditorAccount;
  const [limit] = control.PeriodicLimits;
  return {
    payee,
    account: number.replace(/^(\d\d)(\d\d)(\d\d)/, '$1-$2-$3 '),
    perPayment: minorUnitsOf(control.MaximumIndividualAmount.Amount)!,
    perMonth: minorUnitsOf(limit.Amount)!,
    alignment: limit.PeriodAlignment,
    validFrom: control.ValidFromDateTime ?? null,
    validTo: control.ValidToDateTime ?? null,
  };
}
