import { standing } from '../../infra/db/queries/watch.ts';
import { accountsOf } from '../helpers/activities.ts';
import { syncsOf } from '../helpers/bank-books.ts';
import { authorise, connectionsOf } from '../helpers/connections.ts';
import { withDatabase } from '../helpers/database.ts';
import { userOf } from '../helpers/money.ts';
import { sqlOf } from '../helpers/oauth.ts';
import { ownerSql } from '../helpers/owner.ts';
import { playedBanks } from '../helpers/played-banks.ts';

const banks = playedBanks();
const services = withDatabase({ banks });
const sql = sqlOf(services);

test('operators see connections that nobody reads, except where the person has to confirm, and syncs that stay open', async () => {
  const who = { email: 'unread@example.org', password: 'seven green lanterns' };
  const { user_id } = await accountsOf(services).registerUser(who);
  const wanted = { user_id, bank_id: 'played-local', kind: 'accounts', principal: userOf(user_id) } as const;
  const { connection_id } = await connectionsOf(services).connectBank(wanted);
  await authorise(services, banks, connection_id);
  await syncsOf(services).request(connection_id);
  const after = async (change: string) => {
    await sql.run(change);
    const { bank_connections_unread: unread, bank_syncs_late: late } = await services.db.one(standing(new Date()));
    return { unread, late };
  };
  expect(await after('select')).toEqual({ unread: 0, late: 0 });
  await ownerSql(services, 'alter table bank_connections disable trigger connection_moves_forward');
  const authorised = "update bank_connections set authorised_at = now() - interval '49 hours'";
  expect(await after(authorised)).toEqual({ unread: 1, late: 0 });
  const open = "update bank_syncs set requested_at = now() - interval '61 minutes'";
  expect(await after(open)).toEqual({ unread: 1, late: 1 });
  const unconfirmed = 'update bank_connections set reconfirm_by = business_today() - 1';
  expect(await after(unconfirmed)).toEqual({ unread: 0, late: 1 });
});
