import { activityInfo, heartbeat } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { ActivityInboundCallsInterceptor } from '@temporalio/worker';
import { DomainError } from '../../domain/errors.ts';

const HEARTBEAT_MS = 4_000;

/** Heartbeats let Temporal detect a dead worker early. A DomainError ends retries, except `dependency-unavailable`. */
export function activityInterceptor(): ActivityInboundCallsInterceptor {
  return {
    async execute(input, next) {
      const beat = activityInfo().isLocal ? undefined : setInterval(() => heartbeat(), HEARTBEAT_MS);
      try {
        return await next(input);
      } catch (error) {
        if (!(error instanceof DomainError)) throw error;
        const { code: type, message } = error;
        throw ApplicationFailure.create({ type, message, nonRetryable: type !== 'dependency-unavailable' });
      } finally {
        clearInterval(beat);
      }
    },
  };
}
