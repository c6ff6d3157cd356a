import { Type } from '@sluice/contract'
import {
  count,
  flag,
  integer,
  mapOf,
  matching,
  number,
  options,
  text,
} from '@sluice/gateway/settings/schema-parts.ts'

const metrics = options(
  {
    enabled: flag('Whether metrics are collected. Default true.'),
    listen: matching(
      '^(?:\\[[^\\]]+\\]|[^:\\s]+):\\d{1,5}$',
      'A separate address, such as 127.0.0.1:9464, where /metrics needs no key unless `key` is set. Default: /metrics of the gateway, with a key.',
    ),
    key: text(
      'A secret that gives access only to metrics, preferably a reference such as ${METRICS_KEY}. Without it, /metrics requires the key of an owner, operator or viewer.',
    ),
    perKey: flag(
      'Whether requests, tokens and cost are labeled with the id of the API key, for at most 500 keys. Default false.',
    ),
  },
  'Metrics for Prometheus.',
)

const traces = options(
  {
    endpoint: matching(
      '^https?://[^\\s]+$',
      'The full URL to which spans are sent (OTLP over HTTP in protobuf), such as http://collector:4318/v1/traces. OTEL_EXPORTER_OTLP_TRACES_ENDPOINT and OTEL_EXPORTER_OTLP_ENDPOINT take precedence. Without any of these, tracing is off.',
    ),
    headers: mapOf(Type.String(), 'Headers for the collector.'),
    ratio: number(
      { minimum: 0, maximum: 1 },
      'The share, from 0 to 1, of the traces started by the gateway that is sent. For traces started elsewhere, traceparent decides. Failed requests are always sent. Default 1.',
    ),
    content: flag(
      'Whether spans include the masked prompt and response of requests for which contentLogging stores them. Default false.',
    ),
  },
  'OpenTelemetry traces. A change takes effect at the next start.',
)

export const telemetry = options(
  { metrics: metrics, traces: traces },
  'Metrics and traces. A change takes effect at the next start.',
)

export const contentLogging = options(
  {
    keepDays: count('How many days they are stored. Default 30.'),
    bytesMax: integer(
      { minimum: 1024, maximum: 1_048_576 },
      'Maximum number of bytes stored of a prompt and of a response; longer content is truncated and marked. Default 65536.',
    ),
  },
  'Storage of prompts and responses, only for keys, users, teams and organizations with `contentLogging: true`.',
)
