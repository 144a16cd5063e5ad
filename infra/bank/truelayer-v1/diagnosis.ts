import type { DiagnosisStep } from '../diagnosis.ts';
import { withToken, type Authorization } from './authorization.ts';
import type { Http } from './http.ts';
import { objectIn } from './json.ts';

interface Parts {
  apiUrl: string;
  authorization: Authorization;
  http: Http;
  institutions: () => Promise<readonly unknown[]>;
}

const UNAUTHORIZED = 401;

export function stepsOf({ apiUrl, authorization, http, institutions }: Parts) {
  const steps: DiagnosisStep[] = [
    [
      'institutions',
      async () => {
        const { length } = await institutions();
        if (length === 0) throw new Error('The provider lists no institution of the United Kingdom.');
        return `The provider lists ${length} institutions of the United Kingdom.`;
      },
    ],
    [
      'client secret',
      () => authorization.proveClient().then(() => 'The provider accepts the client id and its secret.'),
    ],
    [
      'dry request for accounts',
      async () => {
        const request = { method: 'GET', url: `${apiUrl}/data/v1/me` } as const;
        const { status, text } = await http.send(withToken(request, 'a-token-that-nobody-granted'));
        if (status !== UNAUTHORIZED || objectIn(text) === null)
          throw new Error(`${apiUrl} responds with ${status} to an unknown token, and not with 401 and a reason.`);
        return 'The provider refuses an unknown token, as it should.';
      },
    ],
  ];
  return steps;
}
