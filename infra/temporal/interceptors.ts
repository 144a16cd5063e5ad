import { activityInfo, heartbeat } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { ActivityInboundCallsInterceptor } from '@temporalio/worker';
import { DomainError, type ErrorCode } from '../../domain/errors.ts';
import type { Services } from '../services.ts';

const HEARTBEAT_MS = 4_000;

const RETRIED: readonly ErrorCode[] = ['dependency-unavailable', 'restoring'];
const RETRY_WHILE_RESTORING = '30 seconds';

/**
 * Heartbeats let Temporal detect a dead worker early. A DomainError ends retries, except those of `RETRIED`. On a
 * restored database nothing runs: a workflow may know what the database has forgotten.
 */
export function activityInterceptor({ restoring }: Pick<Services, 'restoring'>): ActivityInboundCallsInterceptor {
  return {
    async execute(input, next) {
      const beat = activityInfo().isLocal ? undefined : setInterval(() => heartbeat(), HEARTBEAT_MS);
      try {
        await restoring.requireNone();
        return await next(input);
      } catch (error) {
        if (!(error instanceof DomainError)) throw error;
        const { code: type, message } = error;
        const later = type === 'restoring' ? { nextRetryDelay: RETRY_WHILE_RESTORING } : {};
        throw ApplicationFailure.create({ type, message, nonRetryable: !RETRIED.includes(type), ...later } as const);
      } finally {
        clearInterval(beat);
      }
    },
  };
}
