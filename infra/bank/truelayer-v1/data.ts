import type { ConsentAccess } from '../interface.ts';
import { BankError } from '../interface.ts';
import type { Authorization } from './authorization.ts';
import { codeIn, errorOf } from './errors.ts';
import type { Answer } from './http.ts';
import { objectIn } from './json.ts';

export type Data = ReturnType<typeof dataAt>;

/** What the provider says of a consent: `results` of a response. `bankNow` is the provider's clock. */
export interface Results {
  results: readonly unknown[];
  bankNow: Date;
}

/** The provider's data. It may be asked in parallel, but never from two secrets of one consent. */
export function dataAt(authorization: Authorization, apiUrl: string) {
  return {
    /**
     * `list` if the answer shows whether the consent is good, and not one account. What the institution does not offer is
     * empty.
     * @throws BankError
     */
    async ask(access: ConsentAccess, path: string, { list }: { list: boolean }): Promise<Results> {
      const headers: Record<string, string> = access.present === null ? {} : { 'x-psu-ip': access.present.ip };
      const answer = await authorization.asPerson(access, { method: 'GET', url: `${apiUrl}/data/v1${path}`, headers });
      const bankNow = clockOf(answer);
      if (answer.status === 501 && codeIn(answer) === 'endpoint_not_supported') return { results: [], bankNow };
      if (answer.status !== 200) throw errorOf(answer, { list });
      return { results: resultsIn(answer.text), bankNow };
    },
  };
}

/** @throws BankError */
export function resultsIn(text: string): readonly unknown[] {
  const body = objectIn(text);
  if (body === null) throw new BankError('away', 'the provider responded with no JSON object');
  if (body['status'] !== 'Succeeded') throw new BankError('not-final', 'the provider has no final answer yet');
  if (!Array.isArray(body['results'])) throw new BankError('away', 'the provider responded without results');
  return body['results'];
}

/** A sandbox's clock runs ahead of the machine's. */
function clockOf({ headers }: Answer): Date {
  const at = Date.parse(headers['date'] ?? '');
  return new Date(Number.isNaN(at) ? Date.now() : at);
}
