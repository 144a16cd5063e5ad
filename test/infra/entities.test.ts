import { Application } from '../../infra/db/entities/auth.ts';
import { AccrualRunRecord } from '../../infra/db/entities/yield.ts';
import { withDatabase } from '../helpers/database.ts';

const services = withDatabase();
const AT = '2026-11-25T09:30:00.250Z';
const application = (appId: string) => ({ appId, name: 'Payroll', createdAt: AT, ownerPrefix: null });

describe('the entity manager', () => {
  test('returns instants as ISO 8601 and numbers from sequences', async () => {
    const run = { asOf: '2026-11-24', endedAt: AT, vaults: 2, accruals: 3, failed: 0 };
    await services.db.entities().insert(AccrualRunRecord, run);
    const [found] = await services.db.entities().findAll(AccrualRunRecord);
    expect(found).toEqual({ seq: expect.any(Number) as number, ...run });
  });

  test('writes what was created, and then what was assigned', async () => {
    const entities = services.db.entities();
    const created = entities.create(Application, application('app_created'));
    await entities.flush();
    created.name = 'Wages';
    await entities.flush();
    expect(await services.db.entities().findOneOrFail(Application, 'app_created')).toMatchObject({ name: 'Wages' });
  });

  test('writes in the open transaction, and nothing after a rollback', async () => {
    const work = services.db.transaction(async () => {
      await services.db.entities().insert(Application, application('app_undone'));
      expect(await services.db.entities().count(Application, { appId: 'app_undone' })).toBe(1);
      throw new Error('undone');
    });
    await expect(work).rejects.toThrow('undone');
    expect(await services.db.entities().count(Application, { appId: 'app_undone' })).toBe(0);
  });

  test('uses a separate transaction under group commit', async () => {
    await services.db.groupTransaction(async () => {
      await services.db.entities().insert(Application, application('app_grouped'));
    });
    expect(await services.db.entities().count(Application, { appId: 'app_grouped' })).toBe(1);
  });
});
