import { randomBytes } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { sealReading, sealSecret } from '../../activities/legacy/record.ts';
import { pence } from '../../domain/money.ts';
import { insertDocument, storeReading } from '../../infra/db/queries/legacy.ts';
import { documentsOf } from '../helpers/activities.ts';
import { withDatabase } from '../helpers/database.ts';
import { readingOf, scriptedReader } from '../helpers/reading.ts';
import { keyOf, personOf } from '../helpers/senders.ts';

const services = withDatabase({ reader: scriptedReader() });
const legacy = documentsOf(services);
const owner = 'usr_many';
const STORED = 2_000;
const at = new Date();

/** Each payslip is of another employer, so the service has to compare every pair of payslips. */
async function storePayslip(place: number): Promise<void> {
  const document = { doc_id: `doc_${place}`, owner_id: owner };
  const key = await sealSecret(services, document, randomBytes(32).toString('base64url'));
  const field = <T>(value: T) => ({ value, confidence: 0.99, page: 1 });
  const { ni_number: _, ...reading } = readingOf({
    employer_name: field(`The ${place} Bakers & Sons Public Limited Company`),
    paye_reference: null,
    gross_pay: field(pence(1)),
  });
  await services.db.run(
    insertDocument({
      ...document,
      app_id: null,
      shared_queue: null,
      fingerprint: `print ${place}`,
      media_type: 'application/pdf',
      size: 1,
      hint: null,
      key_sealed: key.sealed,
      key_version: key.keyVersion,
      uploaded_at: at.toISOString(),
    }),
  );
  const reading_sealed = await sealReading(services, { ...document, key_sealed: key.sealed }, reading);
  await services.db.run(
    storeReading(document.doc_id, { reading_sealed, ni_number_ref: null, net_pay: null, pay_date: null }, at),
  );
}

/** The most processor time of this thread between two turns of its event loop. Other load does not count. */
async function longestTurnMs(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let isOver = false;
  const watched = (async () => {
    while (!isOver) {
      const before = process.threadCpuUsage();
      await nextTurn();
      const { user, system } = process.threadCpuUsage(before);
      longest = Math.max(longest, (user + system) / 1_000);
    }
  })();
  await work();
  isOver = true;
  await watched;
  return longest;
}

beforeAll(async () => {
  for (let place = 0; place < STORED; place += 1) await storePayslip(place);
});

describe('the tax history of an owner with 2,000 payslips of one day', () => {
  test('never takes the event loop more than 50 ms of processor time at once', async () => {
    let longest = Infinity;
    // The first runs also compile the code, and on a busy machine the same work takes more processor time.
    for (let run = 0; run < 20 && longest > 50; run += 1) {
      const work = () => legacy.getTaxHistory({ principal: personOf(owner), user_id: owner });
      longest = Math.min(longest, await longestTurnMs(work));
    }
    expect(longest).toBeLessThanOrEqual(50);
  });

  test('counts the 1,000 payslips that were uploaded last, in upload order', async () => {
    const { tax_years } = await legacy.getTaxHistory({ principal: keyOf('app'), user_id: owner });
    expect(tax_years).toMatchObject([{ tax_year: '2026-27', gross_pay: 1_000 }]);
    const last = Array.from({ length: 1_000 }, (_, place) => `doc_${STORED - 1_000 + place}`);
    expect(tax_years[0]!.sources.map(({ doc_id }) => doc_id)).toEqual(last);
  });
});
