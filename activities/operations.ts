import { DomainError } from '../domain/errors.ts';
import { missingMigrations, neededMigrations } from '../infra/db/statements/operations.ts';
import type { Services } from '../infra/services.ts';

const NO_SUCH_TABLE = '42P01';

export async function checkReady({ db }: Pick<Services, 'db'>): Promise<{ status: 'ready' }> {
  const { missing } = await db.one(missingMigrations(neededMigrations)).catch(noneApplied);
  if (missing === 0) return { status: 'ready' };
  throw new DomainError(
    'dependency-unavailable',
    'The database has an older schema than this version needs. Run the migrations.',
    {
      dependency: 'database',
    },
  );
}

function noneApplied(error: unknown): { missing: number } {
  if (error instanceof Error && 'code' in error && error.code === NO_SUCH_TABLE)
    return { missing: neededMigrations.length };
  throw error;
}
