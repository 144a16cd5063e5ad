import type { Services } from '../../infra/services.ts';
import { accountsOf } from './activities.ts';
import { userOf } from './money.ts';
import { textQuery } from './text-query.ts';

export const markProved = textQuery('test.markProved', 'update users set email_verified_at = now() where user_id = $1');
export const PASSWORD = 'seven green lanterns';
let people = 0;

/** Registers a person, whose address counts as proved unless `proved` is false. */
export async function registerPerson(services: Services, { proved = true } = {}) {
  const email = `person-${(people += 1)}@example.org`;
  const { user_id } = await accountsOf(services).registerUser({ email, password: PASSWORD });
  if (proved) await services.db.run(markProved(user_id));
  return { email, user_id, principal: userOf(user_id) };
}
