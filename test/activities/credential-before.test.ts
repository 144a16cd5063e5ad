import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { credentialActivities } from '../../activities/credential/index.ts';
import { textQuery } from '../helpers/text-query.ts';
import { movableClock } from '../helpers/clock.ts';
import { tamper } from '../helpers/credential.ts';
import { withDatabase } from '../helpers/database.ts';
import { testEnvironment } from '../helpers/environment.ts';
import { anyKey } from '../helpers/money.ts';

// Rows from an old version, which did not count bills, and the response of that version for a credential.
interface Before {
  issued: { credential_id: string; sd_jwt: string };
  /** Stored, but not signed before the old version stopped. */
  unsigned: { credential_id: string };
  key: { kid: string };
  exported: object;
}

const MASTER_KEY_FILE = join(testEnvironment().dir, 'keys', `before-${randomBytes(4).toString('hex')}.json`);
const clock = movableClock();
const services = withDatabase({ clock, env: { MASTER_KEY_FILE } });
const credentials = credentialActivities(services);
let before: Before;

const columns = `credential_id, owner_id, requested_by, categories, period_from, period_to, total_payments, missed_payments, on_time_rate,
  reliability_score, score_breakdown, months, list_id, list_index, created_at, issued_at, expires_at, kid, sd_jwt, revoked_at`;
const restoreCredential = textQuery(
  'test.restoreCredential',
  `insert into credentials (${columns}) select ${columns} from jsonb_populate_record(null::credentials, $1::jsonb)`,
);
const restoreKey = textQuery(
  'test.restoreKey',
  `insert into credential_keys select * from jsonb_populate_record(null::credential_keys, $1::jsonb)`,
);
const restoreList = textQuery(
  'test.restoreList',
  `insert into credential_status_lists (list_id, used, created_at) values (1, 2, '2026-11-21T09:30:00Z')`,
);
const MEANING =
  'How reliably payments were made in the period. The score counts payments made through this service, to payees for whom nobody had to vouch.';

beforeAll(async () => {
  before = JSON.parse(await readFile(new URL('credential-before.json', import.meta.url), 'utf8')) as Before;
  clock.set('2026-11-24T09:00:00.000Z');
  await services.db.run(restoreList());
  await services.db.run(restoreKey(JSON.stringify({ ...before.key, retired_at: '2026-11-22T00:00:00Z' })));
  await services.db.run(restoreCredential(JSON.stringify(before.issued)));
  await services.db.run(restoreCredential(JSON.stringify(before.unsigned)));
});

describe('a credential that was issued before bills were counted', () => {
  test('verifies by id and by presentation, and says that its payees did not need a voucher', async () => {
    const { credential_id, sd_jwt } = before.issued;
    const verified = await credentials.verifyCredential({ credential_id });
    expect(verified).toMatchObject({ valid: true, status: 'valid', reliability_score: 510, meaning: MEANING });
    expect(verified.period).toBe('2025-11-21 to 2026-11-21');
    const { disclosed, ...presented } = await credentials.verifyPresented({ credential: sd_jwt });
    expect(presented).toEqual(verified);
    expect(Object.keys(disclosed!).sort()).toEqual([
      'categories',
      'missed_payments',
      'on_time_rate',
      'period',
      'score_breakdown',
      'total_payments',
    ]);
    const [jwt] = sd_jwt.split('~');
    expect(await credentials.verifyPresented({ credential: `${jwt}~` })).toMatchObject({
      valid: true,
      meaning: MEANING,
      period: null,
      disclosed: {},
    });
  });

  test('is exported as before, in all three forms', async () => {
    const request = { principal: anyKey, credential_id: before.issued.credential_id };
    expect(await credentials.exportAsJson(request)).toEqual(before.exported);
    expect(await credentials.exportAsSdJwt(request)).toBe(before.issued.sd_jwt);
    expect(
      Buffer.from(await credentials.exportAsPdf(request))
        .subarray(0, 5)
        .toString(),
    ).toBe('%PDF-');
  });

  test('verifies and shows no unsigned counts, even if an old worker signed what a new process stored', async () => {
    const { credential_id } = before.issued;
    await tamper(
      services,
      credential_id,
      'bills = 24, payees = 3, months_covered = 12, total_paid = 1, payments_left_out = 0',
    );
    expect(await credentials.verifyCredential({ credential_id })).toMatchObject({ valid: true, meaning: MEANING });
    expect(await credentials.exportAsJson({ credential_id })).toEqual(before.exported);
  });

  test('that was not signed yet is signed with its requested claims, and verifies', async () => {
    const { credential_id } = before.unsigned;
    await credentials.issueCredential({ credential_id });
    const exported = await credentials.exportAsJson({ credential_id });
    expect(exported).toMatchObject({ status: 'valid', reliability_score: 510 });
    expect(exported).not.toHaveProperty('bills');
    expect(exported.sd_jwt.split('~').slice(1, -1)).toHaveLength(6);
    expect(await credentials.verifyCredential({ credential_id })).toMatchObject({ valid: true, meaning: MEANING });
  });
});
