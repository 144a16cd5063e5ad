import { constraintsThere } from '../../infra/db/queries/verify-schema.ts';
import { CONSTRAINTS } from '../../infra/db/schema-files.ts';
import { withDatabase } from '../helpers/database.ts';

const { db } = withDatabase();

test('constraints.json says what PostgreSQL says of each constraint of a new database', async () => {
  const there = await db.many(constraintsThere());
  expect(CONSTRAINTS).toEqual(Object.fromEntries(there.map(({ name, definition }) => [name, definition])));
});
