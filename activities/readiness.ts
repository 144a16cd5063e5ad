import { DomainError } from '../domain/errors.ts';
import { countMissing } from '../infra/db/schema-version.ts';
import type { Services } from '../infra/services.ts';

export async function checkReady(services: Pick<Services, 'db'>): Promise<{ status: 'ready' }> {
  if ((await countMissing(services)) === 0) return { status: 'ready' };
  throw new DomainError(
    'dependency-unavailable',
    'The database has an older schema than this version needs. Run the migrations.',
    { dependency: 'database' },
  );
}
