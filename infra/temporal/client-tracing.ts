import type { ClientInterceptors } from '@temporalio/client';
import { OpenTelemetryWorkflowClientInterceptor } from '@temporalio/interceptors-opentelemetry';
import type { Tracing } from '../telemetry/tracing.ts';

/** What a client sends along with what it asks of Temporal, so that workflows belong to the traces of what asked for them. */
export function clientInterceptors(tracing: Pick<Tracing, 'on'>): { interceptors?: ClientInterceptors } {
  return tracing.on ? { interceptors: { workflow: [new OpenTelemetryWorkflowClientInterceptor()] } } : {};
}
