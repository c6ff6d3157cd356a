import protobuf from 'protobufjs'

/** The parts of OTLP 1.x that spans need (opentelemetry-proto: trace/v1/trace.proto and its imports). */
const { root } = protobuf.parse(`
syntax = "proto3";
message Request { repeated ResourceSpans resource_spans = 1; }
message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; }
message Resource { repeated KeyValue attributes = 1; }
message ScopeSpans { Scope scope = 1; repeated Span spans = 2; }
message Scope { string name = 1; string version = 2; }
message Span {
  bytes trace_id = 1;
  bytes span_id = 2;
  string trace_state = 3;
  bytes parent_span_id = 4;
  string name = 5;
  Kind kind = 6;
  fixed64 start_time_unix_nano = 7;
  fixed64 end_time_unix_nano = 8;
  repeated KeyValue attributes = 9;
  Status status = 15;
}
enum Kind { UNSPECIFIED = 0; INTERNAL = 1; SERVER = 2; CLIENT = 3; }
message Status { string message = 2; Code code = 3; }
enum Code { UNSET = 0; OK = 1; ERROR = 2; }
message KeyValue { string key = 1; AnyValue value = 2; }
message ArrayValue { repeated AnyValue values = 1; }
message AnyValue {
  oneof value {
    string string_value = 1;
    bool bool_value = 2;
    int64 int_value = 3;
    double double_value = 4;
    ArrayValue array_value = 5;
  }
}
`)

const requestType = root.lookupType('Request')

/** A span as a collector receives it. */
export interface CollectedSpan {
  readonly traceId: string
  readonly spanId: string
  /** Empty for a root span. */
  readonly parentSpanId: string
  readonly name: string
  readonly kind: string
  readonly status: string
  /** In milliseconds since the epoch. */
  readonly startMs: number
  readonly endMs: number
  readonly attributes: Readonly<Record<string, unknown>>
  readonly resource: Readonly<Record<string, unknown>>
}

interface Value {
  readonly stringValue?: string
  readonly boolValue?: boolean
  readonly intValue?: string
  readonly doubleValue?: number
  readonly arrayValue?: { readonly values?: readonly Value[] }
}

interface Pair {
  readonly key: string
  readonly value: Value
}

interface Decoded {
  readonly resourceSpans?: readonly {
    readonly resource: { readonly attributes?: readonly Pair[] }
    readonly scopeSpans: readonly {
      readonly spans: readonly {
        readonly traceId: Buffer
        readonly spanId: Buffer
        readonly parentSpanId?: Buffer
        readonly name: string
        readonly kind: string
        readonly status?: { readonly code?: string }
        readonly startTimeUnixNano: string
        readonly endTimeUnixNano: string
        readonly attributes?: readonly Pair[]
      }[]
    }[]
  }[]
}

/** The spans of a request to a collector. Throws if it is not valid OTLP. */
export function decodeSpans(bytes: Uint8Array): readonly CollectedSpan[] {
  const decoded = requestType.toObject(requestType.decode(bytes), {
    longs: String,
    enums: String,
  }) as Decoded
  return (decoded.resourceSpans ?? []).flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        traceId: span.traceId.toString('hex'),
        spanId: span.spanId.toString('hex'),
        parentSpanId: span.parentSpanId?.toString('hex') ?? '',
        name: span.name,
        kind: span.kind,
        status: span.status?.code ?? 'UNSET',
        startMs: Number(BigInt(span.startTimeUnixNano) / 1_000n) / 1_000,
        endMs: Number(BigInt(span.endTimeUnixNano) / 1_000n) / 1_000,
        attributes: objectOf(span.attributes),
        resource: objectOf(resource.attributes),
      })),
    ),
  )
}

function objectOf(pairs: readonly Pair[] = []): Readonly<Record<string, unknown>> {
  return Object.fromEntries(pairs.map(({ key, value }) => [key, valueOf(value)]))
}

function valueOf(value: Value): unknown {
  if (value.intValue !== undefined) return Number(value.intValue)
  if (value.arrayValue) return (value.arrayValue.values ?? []).map(valueOf)
  return value.stringValue ?? value.boolValue ?? value.doubleValue
}
