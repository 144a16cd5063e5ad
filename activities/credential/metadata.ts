import { DISCLOSABLE, type DisclosableClaims } from '../../infra/credential/sd-jwt.ts';
import type { Services } from '../../infra/services.ts';
import { addressesOf } from './addresses.ts';

const LOCALE = 'en-GB';
const NAME = 'Payment reliability';
const DESCRIPTION =
  'How reliably somebody paid bills in a period: a score from 0 to 1000 and, if the holder shows them, the figures behind it. ' +
  'The figures come from payments made through this service, to payees for whom its operator or an application vouches.';

const OPEN_LABELS = {
  iss: 'Issued by',
  sub: 'Whose payments',
  reliability_score: 'Reliability score, 0 to 1000',
  iat: 'Issued',
  exp: 'Valid until',
} as const;

const LABELS: Readonly<Record<keyof DisclosableClaims, string>> = {
  on_time_rate: 'Share of payments on time',
  total_payments: 'Payments',
  missed_payments: 'Missed payments',
  period: 'Period',
  categories: 'Categories of payees',
  score_breakdown: 'What the score is made of',
  bills: 'Bills',
  payees: 'Accounts that bills were paid to',
  months_covered: 'Months with a bill',
  total_paid: 'Total paid, in pence',
  payments_left_out: 'Payments to payees for whom nobody vouches',
};

/** The issuer and the URL of its keys (SD-JWT VC, issuer metadata). */
export function issuerMetadata(services: Pick<Services, 'config'>) {
  const { issuer, keys } = addressesOf(services);
  return { issuer, jwks_uri: keys };
}

/** The claims of the credentials (SD-JWT VC, type metadata). */
export function typeMetadata(services: Pick<Services, 'config'>) {
  const claim = (name: string, label: string, sd: 'allowed' | 'never') => ({
    path: [name],
    display: [{ locale: LOCALE, label }],
    sd,
  });
  return {
    vct: addressesOf(services).type,
    name: NAME,
    description: DESCRIPTION,
    display: [{ locale: LOCALE, name: NAME, description: DESCRIPTION }],
    claims: [
      ...Object.entries(OPEN_LABELS).map(([name, label]) => claim(name, label, 'never')),
      ...DISCLOSABLE.map((name) => claim(name, LABELS[name], 'allowed')),
    ],
  };
}
