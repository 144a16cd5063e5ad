import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beginFamily } from '../../activities/auth/tokens.ts';
import { SCOPES } from '../../domain/auth.ts';
import { pence } from '../../domain/money.ts';
import { lockOne } from '../../infra/db/locked-owner.ts';
import { lockOwner } from '../../infra/db/queries/ledger.ts';
import { textQuery } from '../../test/helpers/text-query.ts';
import type { Services } from '../../infra/services.ts';
import { accountsOf, vaultOf } from '../../test/helpers/activities.ts';
import { postMovement } from '../../test/helpers/money.ts';
import { emailOf, PASSWORD } from './accounts.ts';
import type { Cast, OauthClient, Owner } from './load-routes.ts';
import { HERE } from '../../test/helpers/here.ts';
import { newClient } from '../../test/helpers/oauth.ts';

const PLENTY = 1_000_000_000;
const AT_ONCE = 16;

/** An owner with money that is safe to spend, an allocation in one vault, and an empty second vault. */
export async function seedOwners(
  services: Services,
  count: number,
  idOf: (number: number) => string = (number) => `bench-${number}`,
): Promise<Owner[]> {
  const owners: Owner[] = [];
  let next = 0;
  const seedNext = async () => {
    for (let number = next++; number < count; number = next++) owners.push(await seedOwner(services, idOf(number)));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, seedNext));
  return owners;
}

async function seedOwner(services: Services, ownerId: string): Promise<Owner> {
  const [fromVaultId, toVaultId, allocationId] = [
    services.newId('vlt'),
    services.newId('vlt'),
    services.newId('alloc'),
  ];
  await services.db.transaction(async (tx) => {
    const at = await services.clock.now(tx);
    const { owner } = await lockOne(tx, lockOwner(ownerId, at));
    await tx.run(insertCalculation(`calc_${ownerId}`, ownerId, 2 * PLENTY, PLENTY, at));
    await postMovement(owner, services, {
      kind: 'paycheck',
      subjectId: `calc_${ownerId}`,
      at,
      newVaults: [
        { vaultId: fromVaultId, vaultType: 'FIXED', label: 'bills' },
        { vaultId: toVaultId, vaultType: 'SAVINGS', label: 'rainy day' },
      ],
      newAllocations: [{ allocationId, vaultId: fromVaultId, source: 'paycheck', amount: pence(PLENTY) }],
      legs: [
        { account: 'employer', kind: 'allocation', amount: pence(-2 * PLENTY) },
        { account: 'safe_to_spend', kind: 'allocation', amount: pence(PLENTY) },
        { account: 'vault', vaultId: fromVaultId, kind: 'allocation', amount: pence(PLENTY) },
      ],
    });
  });
  return { ownerId, fromVaultId, toVaultId, allocationId };
}

const insertCalculation = textQuery(
  'bench.calculation',
  `insert into calculations (calculation_id, owner_id, pay_date, revision, gross_income, locked_for_bills, locked_buffer,
                             safe_to_spend, buffer_rate, obligations, calculated_at)
   values ($1, $2, '1990-01-01', 1, $3, $4, 0, $4, '0', '[]', $5)`,
);

const bindAll = textQuery(
  'bench.bind',
  'insert into owner_applications (owner_id, app_id) select owner_id, $1 from owners',
);

/**
 * The service must check each request's owner, because the key has access to the existing owners only.
 * The key lacks `admin:owners` and `assert:income`, as most keys in production do. For registered persons, it has the first, because
 * nobody has granted anything.
 */
export async function seedKey(services: Services, { forPersons = false } = {}): Promise<string> {
  const auth = accountsOf(services);
  const { app_id } = await auth.createApplication({ name: 'Bench' });
  if (!forPersons) await services.db.run(bindAll(app_id));
  const without = forPersons ? ['assert:income'] : ['admin:owners', 'assert:income'];
  const scopes = SCOPES.filter((scope) => !without.includes(scope));
  return (await auth.issueApiKey({ app_id, scopes })).key;
}

export async function seedTokens(services: Services, count: number): Promise<string[]> {
  const auth = accountsOf(services);
  const tokens: string[] = [];
  for (let number = 0; number < count; number += 1) {
    const given = { email: emailOf(number), password: PASSWORD };
    await auth.registerUser(given);
    tokens.push((await auth.login({ ...given, from: HERE })).access_token);
  }
  return tokens;
}

export async function seedOauthClient(services: Services, count: number): Promise<OauthClient> {
  const { clientId, secret } = await newClient(services);
  const given = { email: 'oauth@example.test', password: PASSWORD };
  const { user_id: userId } = await accountsOf(services).registerUser(given);
  const grant = { user_id: userId, client_id: clientId, session_hash: null, scopes: ['read:profile'] } as const;
  const tokens: string[] = [];
  for (let number = 0; number < count; number += 1) {
    const begun = await services.db.transaction((tx) => beginFamily(tx, services, grant, new Date()));
    tokens.push(begun.tokens.access_token);
  }
  return { client_id: clientId, client_secret: secret, tokens };
}

/** @returns the path of a file with the users' tokens */
export async function seedUsers(services: Services, count: number): Promise<string> {
  const oauthClient = { client_id: '', client_secret: '', tokens: [] };
  const nobody = { owners: [], bareTokens: [], oauthClient, vaultRefs: [], bareRefs: [], key: '' };
  const cast = join(services.config.dataDir, 'cast.json');
  await writeFile(
    cast,
    JSON.stringify({ ...nobody, tokens: await seedTokens(services, count) } satisfies Partial<Cast>),
  );
  return cast;
}

export async function seedVault(services: Services, count: number, key: string): Promise<string[]> {
  const principal = await accountsOf(services).authenticate({ token: key });
  const refs: string[] = [];
  for (let number = 0; number < count; number += 1) {
    const data = { account_holder_name: `Person ${number}`, sort_code: '123456', account_number: '12345678' };
    const given = { principal, pii_type: 'payee_bank', owner_id: `bench-${number}`, data } as const;
    refs.push((await vaultOf(services).storeVaultRecord(given)).vault_ref);
  }
  return refs;
}
