import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import protobuf from 'protobufjs';

export interface ReceivedSpan {
  service: string;
  traceId: string;
  spanId: string;
  /** Empty for the root span. */
  parentSpanId: string;
  name: string;
  kind: string;
  attributes: Record<string, string | number | boolean>;
  events: number;
  failed: boolean;
  statusMessage: string;
}

/** A collector of OTLP over HTTP in protobuf. */
export interface OtlpReceiver {
  url: string;
  spans(): readonly ReceivedSpan[];
  /** Received bytes, which tests search for secrets. */
  received(): Buffer;
  close(): Promise<void>;
}

/** The fields of opentelemetry/proto/collector/trace/v1 that the service's spans use. */
const PROTO = `syntax = "proto3";
message Request { repeated ResourceSpans resource_spans = 1; }
message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; }
message Resource { repeated KeyValue attributes = 1; }
message ScopeSpans { repeated Span spans = 2; }
message KeyValue { string key = 1; AnyValue value = 2; }
message AnyValue { oneof value { string string_value = 1; bool bool_value = 2; int64 int_value = 3; double double_value = 4; } }
message Event { string name = 2; }
message Status { string message = 2; int32 code = 3; }
message Span {
  enum Kind { UNSPECIFIED = 0; INTERNAL = 1; SERVER = 2; CLIENT = 3; PRODUCER = 4; CONSUMER = 5; }
  bytes trace_id = 1; bytes span_id = 2; string trace_state = 3; bytes parent_span_id = 4; string name = 5; Kind kind = 6;
  repeated KeyValue attributes = 9; repeated Event events = 11; Status status = 15;
}`;

interface Attribute {
  key: string;
  value: { stringValue?: string; boolValue?: boolean; intValue?: number; doubleValue?: number };
}

interface Decoded {
  resourceSpans: {
    resource: { attributes: Attribute[] };
    scopeSpans: {
      spans: {
        traceId: string;
        spanId: string;
        parentSpanId: string;
        name: string;
        kind: string;
        attributes: Attribute[];
        events: unknown[];
        status?: { code: number; message: string };
      }[];
    }[];
  }[];
}

const FAILED = 2;

export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const request = protobuf.parse(PROTO).root.lookupType('Request');
  const bodies: Buffer[] = [];
  const spans: ReceivedSpan[] = [];
  const server = createServer((incoming, response) => {
    void bodyOf(incoming).then((body) => {
      bodies.push(body);
      const options = { longs: Number, enums: String, bytes: String, defaults: true, arrays: true };
      spans.push(...spansOf(request.toObject(request.decode(body), options) as unknown as Decoded));
      response.writeHead(200, { 'Content-Type': 'application/x-protobuf' }).end();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: () => spans,
    received: () => Buffer.concat(bodies),
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

async function bodyOf(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function spansOf({ resourceSpans }: Decoded): ReceivedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = String(valuesOf(resource.attributes)['service.name']);
    return scopeSpans.flatMap(({ spans }) =>
      spans.map(({ traceId, spanId, parentSpanId, name, kind, attributes, events, status }) => ({
        service,
        traceId: hex(traceId),
        spanId: hex(spanId),
        parentSpanId: hex(parentSpanId),
        name,
        kind,
        attributes: valuesOf(attributes),
        events: events.length,
        failed: status?.code === FAILED,
        statusMessage: status?.message ?? '',
      })),
    );
  });
}

function valuesOf(attributes: Attribute[]): ReceivedSpan['attributes'] {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [
      key,
      value.stringValue ?? value.boolValue ?? value.intValue ?? value.doubleValue ?? 'of another kind',
    ]),
  );
}

function hex(base64: string): string {
  return Buffer.from(base64, 'base64').toString('hex');
}
