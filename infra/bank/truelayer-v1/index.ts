import { readFile } from 'node:fs/promises';
import * as z from 'zod';
import { clientSecretIn } from '../../config/banks-file.ts';
import type { BankConfig, BankEntryOf } from '../../config/index.ts';
import { BankError, type Bank, type Institution, type Traits } from '../interface.ts';
import { listAccounts, readBalance } from './accounts.ts';
import { authorizationAt } from './authorization.ts';
import { end, look } from './consent.ts';
import { dataAt } from './data.ts';
import { inSteps } from '../diagnosis.ts';
import { stepsOf } from './diagnosis.ts';
import { errorOf } from './errors.ts';
import { id, text } from './fields.ts';
import { openHttp, type Http } from './http.ts';
import { begin, finish } from './journey.ts';
import { readTransactions } from './transactions.ts';

type Entry = BankEntryOf<'truelayer-v1'>;
type BankLimits = Pick<BankConfig, 'timeoutMs' | 'unattendedPerDay'>;

/** A client for the Data API of TrueLayer, version 1: it reads accounts of many banks, and pays nothing. */
export async function openBank(entry: Entry, { timeoutMs, unattendedPerDay }: BankLimits): Promise<Bank> {
  const [secret, ca] = await Promise.all([secretOf(entry), entry.ca_file && readFile(entry.ca_file, 'utf8')]);
  const http = openHttp({ ...(ca !== undefined && { ca }), timeoutMs });
  const authorization = authorizationAt(entry, secret, http);
  const data = dataAt(authorization, entry.api_url);
  const parts = { entry, http, authorization, data };
  const institutions = () => listInstitutions(http, entry);
  return {
    traits: traitsOf(unattendedPerDay),
    institutions,
    begin: (order) => begin(parts, order),
    finish: (given) => finish(parts, given),
    look: (access) => look(authorization, data, access),
    end: (access) => end(authorization, access),
    accounts: (access) => listAccounts(data, access, entry),
    balance: (access, account) => readBalance(data, access, account),
    transactions: (access, wanted) => readTransactions(data, access, wanted),
    pay: () => Promise.reject(new BankError('configuration', PAYS_NOTHING)),
    payment: () => Promise.reject(new BankError('configuration', PAYS_NOTHING)),
    events: () => Promise.resolve([]),
    check: async () => {
      await institutions();
    },
    diagnose: () => inSteps(stepsOf({ http, authorization, institutions, apiUrl: entry.api_url })),
    close: () => http.close(),
  };
}

const PAYS_NOTHING = 'this API makes no payments';

/** @throws Error if the file does not hold the secret alone. */
async function secretOf({ id, client_secret_file }: Entry): Promise<string> {
  const secret = clientSecretIn(await readFile(client_secret_file, 'utf8'));
  if (secret === undefined) throw new Error(`client_secret_file of the bank "${id}" must hold the secret alone.`);
  return secret;
}

/** Within 5 minutes of the person's sign-in at the bank, the provider goes back further than 90 days. */
function traitsOf(unattendedPerDay: number): Traits {
  const days = { freshDays: 396, laterDays: 90, unattendedPerDay };
  return { reads: true, pays: {}, reconfirm: 'journey', reauthorise: 'new', ...days, events: false };
}

const INSTITUTION = z.object({ provider_id: id, display_name: text, country: z.literal('uk') });

/** @throws BankError */
async function listInstitutions(http: Http, { auth_url, client_id }: Entry): Promise<Institution[]> {
  const query = new URLSearchParams({ client_id });
  const answer = await http.send({ method: 'GET', url: `${auth_url}/api/providers?${query.toString()}` });
  if (answer.status !== 200) throw errorOf(answer, { list: false });
  return listIn(answer.text).flatMap((row) => {
    const { success, data } = INSTITUTION.safeParse(row);
    if (!success || data.provider_id === 'mock') return [];
    return [{ institutionId: data.provider_id, name: data.display_name ?? data.provider_id, country: 'GB' }];
  });
}

function listIn(body: string): unknown[] {
  try {
    const list: unknown = JSON.parse(body);
    if (Array.isArray(list)) return list;
  } catch {
    // The parser's message repeats a part of the response.
  }
  throw new BankError('away', 'the provider responded with no list of institutions');
}
