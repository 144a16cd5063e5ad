import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
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
message Status { string message = 2; }
message Span {
  enum Kind { UNSPECIFIED = 0; INTERNAL = 1; SERVER = 2; CLIENT = 3; PRODUCER = 4; CONSUMER = 5; }
  bytes trace_id = 1; bytes span_id = 2; bytes parent_span_id = 4; string name = 5; Kind kind = 6;
  repeated KeyValue attributes = 9; repeated Event events = 11; Status status = 15;
}`;

/** A decoded message, with the fields of `PROTO`. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Message = any;

export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const request = protobuf.parse(PROTO).root.lookupType('Request');
  const options = { longs: Number, enums: String, defaults: true, arrays: true, oneofs: true };
  const bodies: Buffer[] = [];
  const spans: ReceivedSpan[] = [];
  const server = createServer((incoming, response) => {
    void buffer(incoming).then((body) => {
      bodies.push(body);
      spans.push(...spansOf(request.toObject(request.decode(body), options)));
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

function spansOf({ resourceSpans }: Message): ReceivedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }: Message) => {
    const service = String(valuesOf(resource.attributes)['service.name']);
    return scopeSpans.flatMap(({ spans }: Message) =>
      spans.map(({ traceId, spanId, parentSpanId, name, kind, attributes, events, status }: Message) => ({
        service,
        traceId: traceId.toString('hex'),
        spanId: spanId.toString('hex'),
        parentSpanId: parentSpanId.toString('hex'),
        name,
        kind,
        attributes: valuesOf(attributes),
        events: events.length,
        statusMessage: status?.message ?? '',
      })),
    );
  });
}

// protobufjs names the member that is set.
function valuesOf(attributes: Message[]): ReceivedSpan['attributes'] {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, value[value.value] ?? 'of another kind']));
}
