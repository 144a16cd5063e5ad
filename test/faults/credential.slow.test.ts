import { bodyFor, bodyOf, caOf, fundOwners, ordersFor, settled } from '../helpers/faults-load.ts';
import { openFaultClient, type FaultClient } from '../helpers/faults-client.ts';
import { startFaultStack, type Part } from '../helpers/faults.ts';

const stack = startFaultStack({ CREDENTIAL_SIGN_WITHIN_MS: '2000' });
let client: FaultClient;

beforeAll(() => {
  client = openFaultClient({ urls: [stack.url], ca: caOf(stack) });
});
afterAll(() => client.close());

interface Credential {
  credential_id: string;
  reliability_score: number;
  total_payments: number;
}

test.each<Part>(['worker', 'Temporal', 'API'])(
  'a credential is signed once for its Idempotency-Key, even after a kill -9: %s',
  async (part) => {
    const [owner] = await fundOwners(client, 1);
    const { token, userId } = owner!;
    const [order] = ordersFor([owner!], 1, ['prov_sandbox_instant']);
    const paying = { token, key: order!.key, body: bodyOf(order!) };
    await bodyFor(201, client.call('POST', '/api/v1/payments/execute', paying));
    await settled(client, [owner!]);

    const asked = { token, key: `credential-${part}`, body: { user_id: userId } };
    const bringBack = await stack.takeAway(part);
    setTimeout(bringBack, 3_000);
    const first = client.call('POST', '/api/v1/credential/generate', asked);
    const made = await bodyFor<Credential>(201, first);
    expect(made).toMatchObject({ reliability_score: 142, total_payments: 1, bills: 1 });
    const again = await bodyFor<Credential>(201, client.call('POST', '/api/v1/credential/generate', asked));
    expect(again).toEqual(made);
    const verified = client.call('GET', `/api/v1/credential/${made.credential_id}/verify`);
    expect(await bodyFor<object>(200, verified)).toMatchObject({ valid: true, status: 'valid', subject: userId });
    expect(client.wrongs).toEqual([]);
  },
  180_000,
);
