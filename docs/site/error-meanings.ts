import type { ErrorCode } from '../../packages/contract/src/index.ts'

interface Meaning {
  /** When it is answered. */
  readonly when: string
  /** What helps. */
  readonly help: string
}

/** What each code means, for people. A code that is added does not compile until it stands here. */
export const errorMeanings: Readonly<Record<ErrorCode, Meaning>> = {
  invalid_request: {
    when: 'A field of the request has a value that it may not have. `param` is its path.',
    help: 'Correct the field that `param` names.',
  },
  unsupported_parameter: {
    when: 'No target of the model can express a field that changes the meaning of the answer.',
    help: 'Leave it out, name another model, or let it be left out and named: [`unsupported`](/routing#fields-that-a-target-lacks).',
  },
  unsupported_value: {
    when: 'A field is known, and this value of it is not offered by the target.',
    help: 'Take another value, or another model.',
  },
  missing_parameter: {
    when: 'A field that has to be there is absent.',
    help: 'Add the field that `param` names.',
  },
  context_length_exceeded: {
    when: 'The prompt, with the answer that was asked for, is longer than the model takes.',
    help: 'Shorten the conversation, ask for fewer tokens, or take a model with more room.',
  },
  unauthenticated: {
    when: 'There is no key, or one that is unknown, expired, disabled or revoked.',
    help: 'Send `Authorization: Bearer <key>`, `x-api-key` or `x-goog-api-key`. `sluice keys list` shows the state of keys.',
  },
  forbidden: {
    when: 'The key is valid and may not do this: the model, the operation, the address or the role. The message names the level (key, user, team, organization).',
    help: 'Use what is allowed, or have an administrator change the terms of that level.',
  },
  model_not_found: {
    when: 'No route, no provider that is on and no built-in model has this name.',
    help: '`GET /v1/models` lists the names. A provider without a key is off: `sluice check` says so.',
  },
  not_found: {
    when: 'What the address names (a response, a video, a conversation, an account) is not there, or belongs to another key.',
    help: 'Check the id, and that the same key asks which made it.',
  },
  unknown_url: {
    when: 'There is no such address.',
    help: 'The [reference](/start#look-around) at `/docs` lists all of them. Base URLs of clients end in `/v1`, or in nothing: see [clients](/clients).',
  },
  method_not_allowed: {
    when: 'The address exists, with another method. `Allow` names it.',
    help: 'Use that method.',
  },
  conflict: {
    when: 'What is asked contradicts what is there, such as deleting a team that has users.',
    help: 'The message says what has to go first.',
  },
  too_large: {
    when: 'The body has more bytes, values or levels than the gateway takes.',
    help: 'Send less, or raise `server.bodyLimitBytes` or `server.bodyLimitValues`.',
  },
  unsupported_media_type: {
    when: 'The content type, its encoding or the kind of a file is not one that is read here.',
    help: 'Send JSON, or a form where the operation takes files.',
  },
  range_not_satisfiable: {
    when: 'A range of bytes was asked for that the content has not.',
    help: 'Ask for a range within the length that `Content-Range` says.',
  },
  upgrade_required: {
    when: 'An address was asked for that only a WebSocket would answer.',
    help: 'Ask over HTTP: clients fall back to it by themselves.',
  },
  rate_limited: {
    when: 'A limit in requests, tokens or concurrent requests is used up for now. The message names the level.',
    help: 'Wait as long as `Retry-After` says. SDKs do that by themselves.',
  },
  quota_exceeded: {
    when: 'A budget, or what a key may keep, is used up. The message says which, of whom and until when; `x-should-retry: false` keeps SDKs from trying again.',
    help: 'Wait for the next window, or have the budget raised.',
  },
  content_blocked: {
    when: 'The provider refused the content under its own rules.',
    help: 'Change the content. Another target is not asked.',
  },
  cancelled: {
    when: 'The caller closed the connection before the answer was whole. Nobody reads this answer; the status is that of the log and the usage record.',
    help: 'Where it was not meant, look at time limits of the client and of proxies in between.',
  },
  upstream_rejected: {
    when: 'The provider says that the request is wrong. Its own status and message are kept.',
    help: 'The message is that of the provider.',
  },
  upstream_rate_limited: {
    when: 'The provider limits the gateway’s key, and no other key and no other target was left.',
    help: 'Wait as long as `Retry-After` says; add keys or a fallback: [routing](/routing).',
  },
  upstream_refused_us: {
    when: 'The provider refused the gateway’s own key. The caller’s key is fine.',
    help: 'For the operator: `sluice check --live` says which keys are refused.',
  },
  upstream_garbled: {
    when: 'The provider’s answer is no answer of its protocol.',
    help: 'Try again; if it stays so, look whether `type` and `baseUrl` of the provider are right.',
  },
  upstream_cut: {
    when: 'The provider ended its stream before it was whole. What came until then was handed on.',
    help: 'Ask again. A cut is never shown as an end: see [streaming](/streaming).',
  },
  upstream_unavailable: {
    when: 'No target can be reached: connections fail, or the breakers of all are open.',
    help: 'Try again later; add a fallback: [routing](/routing).',
  },
  upstream_timeout: {
    when: 'A provider took longer than a limit of time for its connection, its first token, the next one or the whole answer.',
    help: 'Raise the limit of the route or the provider, or add a fallback.',
  },
  not_implemented: {
    when: 'The address is one of OpenAI’s that this gateway does not offer.',
    help: 'Ask the provider itself for it.',
  },
  overloaded: {
    when: 'The gateway cannot take more for now: its bound on concurrent requests is reached, its data cannot be written, or it is stopping.',
    help: 'Try again as `Retry-After` says. `GET /readyz` says whether data can be written.',
  },
  internal: {
    when: 'A mistake of the gateway.',
    help: 'The log has more under the `x-request-id` of the answer. Please report it.',
  },
}
