import type { UpstreamRequest } from './protocol.ts'

/** A POST with a JSON body, which most operations of most upstreams are. */
export function jsonRequest(
  path: string,
  value: unknown,
  headers?: UpstreamRequest['headers'],
): UpstreamRequest {
  return { method: 'POST', path, ...(headers && { headers }), body: { kind: 'json', value } }
}
