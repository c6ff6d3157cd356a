import { Type } from '@sluice/contract'
import { count, described, mapOf, object, optional, text } from './schema-parts.ts'

const metrics = object(
  {
    enabled: optional(Type.Boolean(described('Whether anything is measured. Default true.'))),
    listen: optional(
      Type.String({
        pattern: '^(?:\\[[^\\]]+\\]|[^:\\s]+):\\d{1,5}$',
        ...described(
          'An address of their own, such as 127.0.0.1:9464, where /metrics needs no key unless `key` is set. Default: /metrics of the gateway, with a key.',
        ),
      }),
    ),
    key: optional(
      text(
        'A secret that reads metrics and nothing else, preferably a reference such as ${METRICS_KEY}. Without it /metrics needs the key of an owner, operator or viewer.',
      ),
    ),
    perKey: optional(
      Type.Boolean(
        described(
          'Whether requests, tokens and cost are told apart by the id of the API key, for 500 keys at most. Default false.',
        ),
      ),
    ),
  },
  'Metrics for Prometheus.',
)

const traces = object(
  {
    endpoint: optional(
      Type.String({
        pattern: '^https?://[^\\s]+$',
        ...described(
          'Where spans are sent, by OTLP over HTTP in protobuf: the whole address, such as http://collector:4318/v1/traces. OTEL_EXPORTER_OTLP_TRACES_ENDPOINT and OTEL_EXPORTER_OTLP_ENDPOINT take precedence. Without any nothing is traced.',
        ),
      }),
    ),
    headers: optional(mapOf(Type.String(), 'Headers for the collector.')),
    ratio: optional(
      Type.Number({
        minimum: 0,
        maximum: 1,
        ...described(
          'Which share of the traces that begin here is sent, from 0 to 1. One that begins elsewhere is sent where its traceparent says so. Calls that fail are always sent. Default 1.',
        ),
      }),
    ),
    content: optional(
      Type.Boolean(
        described(
          'Whether the span of a call holds its prompt and its answer, masked, where contentLogging keeps them. Default false.',
        ),
      ),
    ),
  },
  'OpenTelemetry traces. A change takes effect at the next start.',
)

export const telemetry = object(
  { metrics: optional(metrics), traces: optional(traces) },
  'Metrics and traces. A change takes effect at the next start.',
)

export const contentLogging = object(
  {
    keepDays: optional(count('How many days they are kept. Default 30.')),
    bytesMax: optional(
      Type.Integer({
        minimum: 1024,
        maximum: 1_048_576,
        ...described(
          'How much is kept of a prompt, and of an answer, in bytes; what is longer is cut and says so. Default 65536.',
        ),
      }),
    ),
  },
  'Prompts and answers, which are kept of keys, users, teams and organizations that have `contentLogging: true`, and of no others.',
)
