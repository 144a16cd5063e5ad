import type { Attributes } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { Resource } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  NodeTracerProvider,
  type ReadableSpan,
  type SpanExporter,
} from '@opentelemetry/sdk-trace-node';
import type { TracingConfig } from '../config/index.ts';

/** Only these attributes of spans are exported. Libraries set other attributes, such as a workflow's memo. */
const CLEAN: ReadonlySet<string> = new Set([
  'db.operation.name',
  'db.system',
  'http.request.method',
  'http.response.status_code',
  'http.route',
  'ringfence.attempt',
  'ringfence.bank.outcome',
  'ringfence.code',
  'ringfence.kind',
  'ringfence.operation',
  'ringfence.outcome',
  'ringfence.payment_id',
  'runId',
  'run_id',
  'taskQueue',
  'temporalActivityId',
  'temporalWorkflowId',
  'workflowId',
  'workflowType',
]);

/** OpenTelemetry's environment variables set the endpoint and the sampling. */
export function startProvider({ serviceName }: TracingConfig, part: string) {
  const resource = new Resource({ 'service.name': serviceName ?? `ringfence-${part}`, 'ringfence.part': part });
  const processor = new BatchSpanProcessor(cleaning(new OTLPTraceExporter()));
  const provider = new NodeTracerProvider({ resource, spanProcessors: [processor] });
  provider.register();
  return { provider, processor, resource };
}

/** Removes events, error messages and attributes outside `CLEAN`, because these can contain personal data. */
function cleaning(exporter: SpanExporter): SpanExporter {
  return {
    export: (spans, done) => exporter.export(spans.map(cleaned), done),
    shutdown: () => exporter.shutdown(),
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
  };
}

function cleaned(span: ReadableSpan): ReadableSpan {
  return Object.create(span, {
    attributes: { value: cleanAttributes(span.attributes) },
    status: { value: { code: span.status.code } },
    events: { value: [] },
  }) as ReadableSpan;
}

function cleanAttributes(attributes: Attributes): Attributes {
  const kept = Object.entries(attributes).filter(([name, value]) => CLEAN.has(name) && typeof value !== 'object');
  return Object.fromEntries(kept);
}
