import type { ErrorCode } from '../../packages/contract/src/index.ts'

interface Meaning {
  /** When it is returned. */
  readonly when: string
  /** What to do. */
  readonly help: string
}

/** What each code means, for readers. A new code does not compile until it is described here. */
export const errorMeanings: Readonly<Record<ErrorCode, Meaning>> = {
  invalid_request: {
    when: 'A field of the request has an invalid value. `param` is its path.',
    help: 'Correct the field named by `param`.',
  },
  unsupported_parameter: {
    when: 'No target of the model can express a field that changes the meaning of the response.',
    help: 'Remove the field, use another model, or have it dropped and named: [`unsupported`](/routing#fields-that-a-target-lacks).',
  },
  unsupported_value: {
    when: 'The field is known, but the target does not support this value.',
    help: 'Use another value or another model.',
  },
  missing_parameter: {
    when: 'A required field is missing.',
    help: 'Add the field named by `param`.',
  },
  context_length_exceeded: {
    when: 'The prompt and the requested output together exceed the context window of the model.',
    help: 'Shorten the conversation, request fewer tokens, or use a model with a larger context window.',
  },
  unauthenticated: {
    when: 'The key is missing, unknown, expired, disabled or revoked.',
    help: 'Send `Authorization: Bearer <key>`, `x-api-key`, `api-key` or `x-goog-api-key`. `sluice keys list` shows the state of keys.',
  },
  forbidden: {
    when: 'The key is valid but does not permit the model, operation, client address or role. The message names the level (key, user, team, organization).',
    help: 'Use a permitted one, or ask an administrator to change the settings of that level.',
  },
  model_not_found: {
    when: 'No route, enabled provider or built-in model has this name.',
    help: '`GET /v1/models` lists the names. A provider without a key is off; `sluice check` reports this.',
  },
  not_found: {
    when: 'The object in the URL (a response, a video, a conversation, an account) does not exist or belongs to another key.',
    help: 'Check the id, and use the key that created the object.',
  },
  unknown_url: {
    when: 'There is no such endpoint.',
    help: 'The [reference](/start#look-around) at `/docs` lists all endpoints. Base URLs of clients end in `/v1` or have no path: see [clients](/clients).',
  },
  method_not_allowed: {
    when: 'The endpoint exists, but only with the methods in `Allow`.',
    help: 'Use one of those methods.',
  },
  conflict: {
    when: 'The request conflicts with existing data, such as deleting a team that has users.',
    help: 'The message names what has to be removed first.',
  },
  too_large: {
    when: 'The body has more bytes, values or nesting levels than the gateway accepts.',
    help: 'Send less, or raise `server.bodyLimitBytes` or `server.bodyLimitValues`.',
  },
  unsupported_media_type: {
    when: 'The content type, the content encoding or the file type is not supported.',
    help: 'Send JSON, or a multipart form if the operation accepts files.',
  },
  range_not_satisfiable: {
    when: 'The requested byte range is outside the content.',
    help: 'Request a range within the length in `Content-Range`.',
  },
  upgrade_required: {
    when: 'The endpoint exists only over WebSocket.',
    help: 'Use HTTP. Clients fall back to it automatically.',
  },
  rate_limited: {
    when: 'A limit on requests, tokens or concurrent requests is reached. The message names the level.',
    help: 'Wait for the time in `Retry-After`. SDKs do this automatically.',
  },
  quota_exceeded: {
    when: 'A budget or the storage limit of a key is exhausted. The message names the limit, its holder and its reset time; `x-should-retry: false` stops SDKs from retrying.',
    help: 'Wait for the next budget period, or ask for a higher budget.',
  },
  content_blocked: {
    when: 'The provider refused the content under its policies.',
    help: 'Change the content. No other target is tried.',
  },
  cancelled: {
    when: 'The caller closed the connection before the response was complete. The status appears only in the log and the usage record.',
    help: 'If this was unintended, check the timeouts of the client and of proxies in between.',
  },
  upstream_rejected: {
    when: 'The provider rejected the request. Its status and message are kept.',
    help: 'Read the message, which comes from the provider.',
  },
  upstream_rate_limited: {
    when: 'The provider limits the gateway’s key, and no other key or target was available.',
    help: 'Wait for the time in `Retry-After`; add keys or a fallback: [routing](/routing).',
  },
  upstream_refused_us: {
    when: 'The provider refused the gateway’s own key. The caller’s key is fine.',
    help: 'Operators: `sluice check --live` reports which keys are refused. `x-should-retry: false` stops SDKs from retrying.',
  },
  upstream_garbled: {
    when: 'The provider’s response is not valid in its protocol.',
    help: 'Try again. If the error persists, check `type` and `baseUrl` of the provider.',
  },
  upstream_cut: {
    when: 'The provider ended its stream before it was complete. The chunks received until then were forwarded.',
    help: 'Send the request again. An interrupted stream never looks complete: see [streaming](/streaming).',
  },
  upstream_unavailable: {
    when: 'No target can be reached: connections fail, or all breakers are open.',
    help: 'Try again later; add a fallback: [routing](/routing).',
  },
  upstream_timeout: {
    when: 'A provider exceeded a timeout for its connection, its first token, the next token or the whole response.',
    help: 'Raise the timeout of the route or the provider, or add a fallback.',
  },
  not_implemented: {
    when: 'This gateway does not offer this endpoint of OpenAI, Anthropic or Google.',
    help: 'Send the request directly to the provider.',
  },
  overloaded: {
    when: 'The gateway cannot accept more requests now: its limit on concurrent requests is reached, its data cannot be written, or it is stopping.',
    help: 'Try again after the time in `Retry-After`. `GET /readyz` reports whether data can be written.',
  },
  internal: {
    when: 'An error in the gateway.',
    help: 'Find details in the log by the `x-request-id` of the response. Please report the error.',
  },
}
