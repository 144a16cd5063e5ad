import type { MacKind } from '../domain/frozen-strings.ts';
import type { Services } from '../infra/services.ts';

export type Reports = Pick<Services, 'metrics' | 'log'>;

/** Raises the alert about a row whose MAC does not fit. Show nobody what the row says, and do nothing that it says. */
export function reportTampering({ metrics, log }: Reports, what: MacKind, id: string): void {
  metrics.tampering.inc({ what });
  log.error({ what, id }, 'something other than the service changed a row');
}
