import { hash } from 'node:crypto';
import * as z from 'zod';
import { objectIn } from '../../infra/bank/obie-4.0/json.ts';
import { isClientItself, type Access } from './access.ts';
import type { Accounts } from './accounts.ts';
import { RESOURCE_OF, type Consent, type ConsentKind, type Consents } from './consents.ts';
import type { BankExchange, Fault } from './exchange.ts';
import { KEY_USED } from './payments.ts';
import { requireSigned, type SignedDesk } from './signed-request.ts';
import type { BankStore } from './store.ts';
import { vrpConsentRequest } from './vrp-consents.ts';

export interface ConsentDesk extends SignedDesk {
  store: BankStore;
  accounts: Accounts;
  consents: Consents;
}

const instant = z.iso.datetime({ offset: true });
const readConsentRequest = z.strictObject({
  Data: z.strictObject({
    Permissions: z.array(z.string().startsWith('Read')).min(1),
    ExpirationDateTime: instant.optional(),
    TransactionFromDateTime: instant.optional(),
    TransactionToDateTime: instant.optional(),
  }),
  Risk: z.strictObject({}),
});

const NOT_FOUND: Fault = { code: 'U011', message: 'There is no consent with this id.', path: 'ConsentId' };

export async function postConsent(
  desk: ConsentDesk,
  { access, kind }: { access: Access; kind: ConsentKind },
  exchange: BankExchange,
): Promise<void> {
  if (!isClientItself(access, exchange, kind)) return;
  const key = kind === 'payments' ? await requireSigned(desk, exchange) : undefined;
  if (key === null) return;
  const schema = kind === 'payments' ? vrpConsentRequest : readConsentRequest;
  const { success, data: request, error } = schema.safeParse(objectIn(exchange.body));
  if (!success) return exchange.fail(400, faultOf(error));

  // No `await` from here until the consent is stored. Otherwise two requests could both find the key unused.
  const bodyHash = hash('sha256', exchange.body);
  const slot = `consent ${key}`;
  const earlier = key === undefined ? undefined : desk.store.submissionOf(slot);
  if (earlier && earlier.bodyHash !== bodyHash) return exchange.fail(400, KEY_USED);
  const known = earlier?.bankPaymentId ? desk.consents.find(earlier.bankPaymentId) : undefined;
  const consent = known ?? desk.consents.add(kind, { clientId: access.clientId, request, validTo: validToOf(request) });
  if (key !== undefined) desk.store.noteKey(slot, bodyHash, consent.id);
  return answerConsent(desk, exchange, { status: 201, consent });
}

export async function serveConsent(
  desk: ConsentDesk,
  { access, kind, id }: { access: Access; kind: ConsentKind; id: string },
  exchange: BankExchange,
): Promise<void> {
  if (!isClientItself(access, exchange, kind)) return;
  const consent = desk.consents.find(id);
  if (consent?.kind !== kind || consent.clientId !== access.clientId) return exchange.fail(400, NOT_FOUND);
  if (exchange.method === 'GET') return answerConsent(desk, exchange, { status: 200, consent });
  desk.consents.end(consent);
  exchange.answer(204, null);
}

function validToOf({ Data }: z.output<typeof vrpConsentRequest> | z.output<typeof readConsentRequest>): string | null {
  return ('ControlParameters' in Data ? Data.ControlParameters.ValidToDateTime : Data.ExpirationDateTime) ?? null;
}

function faultOf({ issues }: z.ZodError): Fault {
  const [issue] = issues;
  const path = issue?.path.join('.') ?? '';
  const code = issue?.code === 'unrecognized_keys' ? 'U005' : 'U002';
  return { code, message: issue?.message.slice(0, 500) ?? 'The body is not valid.', ...(path && { path }) };
}

async function answerConsent(
  { accounts }: ConsentDesk,
  exchange: BankExchange,
  { status, consent }: { status: 200 | 201; consent: Consent },
): Promise<void> {
  const { Data, Risk } = JSON.parse(consent.request) as { Data: object; Risk: object };
  const payer = consent.kind === 'payments' && consent.accountIds[0] ? accounts.find(consent.accountIds[0]) : undefined;
  const body = {
    Data: {
      ConsentId: consent.id,
      CreationDateTime: consent.createdAt,
      Status: consent.status,
      StatusUpdateDateTime: consent.changedAt,
      ...Data,
      ...(payer && {
        DebtorAccount: {
          SchemeName: 'UK.OBIE.SortCodeAccountNumber',
          Identification: `${payer.sortCode}${payer.accountNumber}`,
          Name: payer.holder,
        },
      }),
    },
    Risk,
    Links: { Self: `${exchange.base}/${RESOURCE_OF[consent.kind]}s/${consent.id}` },
    Meta: {},
  };
  if (consent.kind === 'payments') return exchange.answerSigned(status, body);
  exchange.answer(status, body);
}
