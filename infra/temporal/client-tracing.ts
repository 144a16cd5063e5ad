import type { ClientInterceptors } from '@temporalio/client';
import { OpenTelemetryWorkflowClientInterceptor } from '@temporalio/interceptors-opentelemetry';
import type { Tracing } from '../telemetry/tracing.ts';

/** With the trace context in each call, a workflow joins the trace of its caller. */
export function clientInterceptors(tracing: Pick<Tracing, 'on'>): { interceptors?: ClientInterceptors } {
  return tracing.on ? { interceptors: { workflow: [new OpenTelemetryWorkflowClientInterceptor()] } } : {};
}
