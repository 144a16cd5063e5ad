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

type Agreed = z.output<typeof vrpConsentRequest>;
type Payee = Agreed['Data']['Initiation']['CreditorAccount'];
/** The consent of the house account names no payee. */
export type VrpTerms = Omit<Agreed, 'Data'> & {
  Data: Omit<Agreed['Data'], 'Initiation'> & { Initiation: { CreditorAccount?: Payee } };
};

const MOST = { Amount: '1000000000.00', Currency: 'GBP' } as const;

/** Of the house account. A contract allows it a payee with each payment. */
export const HOUSE_TERMS: VrpTerms = {
  Data: {
    ControlParameters: {
      MaximumIndividualAmount: MOST,
      PeriodicLimits: [{ PeriodType: 'Month', PeriodAlignment: 'Calendar', ...MOST }],
      VRPType: ['UK.OBIE.VRPType.Other'],
      PSUAuthenticationMethods: ['UK.OBIE.SCANotRequired'],
    },
    Initiation: {},
  },
  Risk: {},
};

export function vrpTermsOf({ request }: Pick<Consent, 'request'>): VrpTerms {
  return JSON.parse(request) as VrpTerms;
}

const ANY_PAYEE = { Identification: 'named with each payment', Name: 'Any' };

/** In pence. */
export function paymentTerms(consent: Pick<Consent, 'request'>) {
  const { ControlParameters: control, Initiation } = vrpTermsOf(consent).Data;
  const { Identification: number, Name: payee } = Initiation.CreditorAccount ?? ANY_PAYEE;
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
