import { decodeJwt } from 'jose';
import { credentialsOf, paymentsOf } from '../helpers/activities.ts';
import { movableClock } from '../helpers/clock.ts';
import { payBill } from '../helpers/credential.ts';
import { withDatabase } from '../helpers/database.ts';
import { anyKey } from '../helpers/money.ts';
import { playedBank } from '../helpers/played-bank.ts';
import { runPython } from '../helpers/python.ts';

const bank = playedBank();
const services = withDatabase({ clock: movableClock(), bank });
const credentials = credentialsOf(services);

beforeAll(() => paymentsOf(services).ensureSandboxPayees());

const asBase64 = (text: string) => Buffer.from(text).toString('base64url');
const fromBase64 = (text: string) => Buffer.from(text, 'base64url').toString();

async function issued(): Promise<string> {
  await payBill(services, bank, { owner: 'emp-1' });
  const { credential_id } = await credentials.beginCredential({ principal: anyKey, user_id: 'emp-1' });
  await credentials.issueCredential({ credential_id });
  return (await credentials.exportAsJson({ credential_id })).sd_jwt;
}

function claimsOf(sdJwt: string): object {
  const [jwt, ...disclosures] = sdJwt.split('~').slice(0, -1);
  const { _sd, _sd_alg, ...open } = decodeJwt(jwt!);
  const disclosed = disclosures.map((each) => (JSON.parse(fromBase64(each)) as [string, string, unknown]).slice(1));
  return { ...open, ...(Object.fromEntries(disclosed) as object) };
}

test('a third-party library in Python finds the same claims in a credential, and refuses an altered one', async () => {
  const sdJwt = await issued();
  const [jwt, ...disclosures] = sdJwt.split('~').slice(0, -1);
  const [head, body, signature] = jwt!.split('.');
  const altered = fromBase64(body!).replace(/"reliability_score":\d+/, '"reliability_score":1000');
  const texts = [
    sdJwt,
    [jwt, disclosures[0], ''].join('~'),
    `${jwt}~`,
    [jwt, asBase64('["c2FsdA","total_payments",99]'), ''].join('~'),
    `${head}.${asBase64(altered)}.${signature}~`,
    `${jwt!.slice(0, -2)}AA~`,
  ];
  expect(asBase64(altered)).not.toBe(body);
  expect(claimsOf(sdJwt)).toHaveProperty('total_payments', 1);
  const input = JSON.stringify({ texts, ...(await credentials.publishedKeys()) });
  const library = { library: 'sd-jwt', version: '0.10.4', args: [], input };
  const results = JSON.parse(await runPython('sd_jwt_verify.py', library)) as { claims?: object; error?: string }[];
  for (const place of [0, 1, 2]) expect(results[place]!.claims).toEqual(claimsOf(texts[place]!));
  // The library ignores a disclosure whose digest was not signed.
  expect(results[3]!.claims ?? {}).not.toHaveProperty('total_payments');
  expect(results.slice(4).map(({ error }) => error)).toEqual(['InvalidJWSSignature', 'InvalidJWSSignature']);
});
