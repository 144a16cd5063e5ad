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
        throw error instanceof DomainError ? asFailure(error) : error;
      } finally {
        clearInterval(beat);
      }
    },
  };
}

function asFailure(error: DomainError): ApplicationFailure {
  return ApplicationFailure.create({
    type: error.code,
    message: error.message,
    nonRetryable: error.code !== 'dependency-unavailable',
  });
}
