import { context, propagation, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { Resource } from '@opentelemetry/resources';
import type { SpanProcessor } from '@opentelemetry/sdk-trace-node';
import type { TracingConfig } from '../config/index.ts';

/** Names, ids and codes. Only attributes in `CLEAN` of `spans.ts` are exported. */
type SpanValues = Readonly<Record<string, string | number>>;

export interface SpanOptions {
  kind?: 'server' | 'client' | 'internal';
  values?: SpanValues;
  /** The caller's `traceparent` (W3C Trace Context). Default: the active span. */
  from?: { traceparent?: string | string[] | undefined };
  /** Creates a span only if the work has a parent span. */
  onlyWithin?: boolean;
}

export interface Span {
  set(values: SpanValues): void;
  rename(name: string): void;
  failed(): void;
}

export interface Tracing {
  readonly on: boolean;
  span<T>(name: string, options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T>;
  /** `startedAt` is when the statement started, by `performance.now()`. */
  statement(name: string, startedAt: number, failed: boolean): void;
  /** Adds the active trace context to a message. The receiver passes the message on as `from`. */
  carry<Message extends object>(message: Message): Message & { traceparent?: string };
  logFields(): { trace_id?: string; span_id?: string };
  /** The parts that Temporal's worker needs to export its own spans. */
  readonly pipeline: { processor: SpanProcessor; resource: Resource } | undefined;
  close(): Promise<void>;
}

const NO_SPAN: Span = { set: () => undefined, rename: () => undefined, failed: () => undefined };

export const noTracing: Tracing = {
  on: false,
  span: (_name, _options, work) => work(NO_SPAN),
  statement: () => undefined,
  carry: (message) => message,
  logFields: () => ({}),
  pipeline: undefined,
  close: () => Promise.resolve(),
};

/** Loads OpenTelemetry's libraries only if an endpoint is set. */
export async function openTracing(config: TracingConfig, part: string): Promise<Tracing> {
  const off = config.endpoint === undefined && config.tracesEndpoint === undefined;
  if (off || process.env.OTEL_SDK_DISABLED === 'true' || process.env.OTEL_TRACES_EXPORTER === 'none') return noTracing;
  const { startProvider } = await import('./spans.ts');
  const { provider, processor, resource } = startProvider(config, part);
  const tracer = trace.getTracer('ringfence');

  return {
    on: true,
    span(name, { kind = 'internal', values = {}, from: { traceparent } = {}, onlyWithin = false }, work) {
      const parent = traceparent === undefined ? context.active() : propagation.extract(ROOT_CONTEXT, { traceparent });
      if (onlyWithin && trace.getSpan(parent) === undefined) return work(NO_SPAN);
      return tracer.startActiveSpan(name, { kind: KINDS[kind], attributes: values }, parent, async (span) => {
        try {
          return await work({
            set: (more) => span.setAttributes(more),
            rename: (known) => span.updateName(known),
            failed: () => span.setStatus({ code: SpanStatusCode.ERROR }),
          });
        } catch (error) {
          span.setStatus({ code: SpanStatusCode.ERROR });
          throw error;
        } finally {
          span.end();
        }
      });
    },
    statement(name, startedAt, failed) {
      if (trace.getActiveSpan()?.isRecording() !== true) return;
      const attributes = { 'db.system': 'postgresql', 'db.operation.name': name };
      const span = tracer.startSpan(`sql ${name}`, { kind: SpanKind.CLIENT, startTime: startedAt, attributes });
      if (failed) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    },
    carry(message) {
      const headers: { traceparent?: string } = {};
      propagation.inject(context.active(), headers);
      const { traceparent } = headers;
      return traceparent === undefined ? message : { ...message, traceparent };
    },
    logFields() {
      const ids = trace.getActiveSpan()?.spanContext();
      return ids === undefined ? {} : { trace_id: ids.traceId, span_id: ids.spanId };
    },
    pipeline: { processor, resource },
    async close() {
      await provider.shutdown().catch(() => undefined);
    },
  };
}

const KINDS = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL } as const;
