import { context, propagation, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, type Context } from '@opentelemetry/api';
import type { Resource } from '@opentelemetry/resources';
import type { SpanProcessor } from '@opentelemetry/sdk-trace-node';
import type { TracingConfig } from '../config.ts';

/** Values of a span: names, ids and codes, see `CLEAN` in `spans.ts`. */
export type SpanValues = Readonly<Record<string, string | number>>;

/** A piece of work as a span. */
export interface SpanOptions {
  kind?: 'server' | 'client' | 'internal';
  values?: SpanValues;
  /** Where the work was asked for, by W3C's `traceparent`; where work around it is traced, otherwise. */
  from?: { traceparent?: string | string[] | undefined };
  /** Whether it is traced only where work around it is, or it comes from traced work. */
  onlyWithin?: boolean;
}

/** What a trace records of work while it runs. */
export interface Span {
  set(values: SpanValues): void;
  /** Where it is known only now what the work is. */
  rename(name: string): void;
  failed(): void;
}

/**
 * The traces of a process: what a request caused, across processes. Off, it costs a call. Spans hold names, ids and codes only.
 */
export interface Tracing {
  readonly on: boolean;
  /** Runs `work` as a span that ends when it settles. */
  span<T>(name: string, options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T>;
  /** A statement that was asked for at that `performance.now()` and has just ended. */
  statement(name: string, askedAt: number, failed: boolean): void;
  /** Adds the trace context of the writing work to a message; the reader passes it as `from`. */
  carry<Message extends object>(message: Message): Message & { traceparent?: string };
  /** What a line of the log says of the work that it is about. */
  logFields(): { trace_id?: string; span_id?: string };
  /** What Temporal's worker needs to hand its own spans over. */
  readonly pipeline: { processor: SpanProcessor; resource: Resource } | undefined;
  close(): Promise<void>;
}

const NO_SPAN: Span = { set: () => undefined, rename: () => undefined, failed: () => undefined };

/** Traces nothing. */
export const noTracing: Tracing = {
  on: false,
  span: (_name, _options, work) => work(NO_SPAN),
  statement: () => undefined,
  carry: (message) => message,
  logFields: () => ({}),
  pipeline: undefined,
  close: () => Promise.resolve(),
};

/** Sends the spans of this process to where the settings say; the libraries are loaded for that alone. */
export async function openTracing(config: TracingConfig, part: string): Promise<Tracing> {
  const off = config.endpoint === undefined && config.tracesEndpoint === undefined;
  if (off || process.env.OTEL_SDK_DISABLED === 'true' || process.env.OTEL_TRACES_EXPORTER === 'none') return noTracing;
  const { startProvider } = await import('./spans.ts');
  const { provider, processor, resource } = startProvider(config, part);
  const tracer = trace.getTracer('ringfence');

  return {
    on: true,
    span(name, { kind = 'internal', values = {}, from, onlyWithin = false }, work) {
      const parent = from?.traceparent === undefined ? context.active() : contextOf(from);
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
    statement(name, askedAt, failed) {
      if (trace.getActiveSpan()?.isRecording() !== true) return;
      const attributes = { 'db.system': 'postgresql', 'db.operation.name': name };
      const span = tracer.startSpan(`sql ${name}`, { kind: SpanKind.CLIENT, startTime: askedAt, attributes });
      if (failed) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    },
    carry(message) {
      if (trace.getActiveSpan() === undefined) return message;
      const { traceparent } = carrier();
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

/** Takes `traceparent` only; other members are not ours. */
function contextOf({ traceparent }: NonNullable<SpanOptions['from']>): Context {
  return propagation.extract(ROOT_CONTEXT, { traceparent });
}

function carrier(): { traceparent?: string } {
  const headers: { traceparent?: string } = {};
  propagation.inject(context.active(), headers);
  return headers;
}
