import { formatForm } from '@sluice/contract'
import type { UpstreamBody, UpstreamRequest } from '@sluice/protocols'
import type { OutgoingRequest } from '../providers/provider.ts'
import type { Upstream } from './routing.ts'

function addressOf(
  { elsewhere, origin, path }: UpstreamRequest,
  { baseUrl, version, isOtherBase }: Upstream,
): string {
  if (elsewhere !== undefined) return elsewhere
  if (origin !== undefined && !isOtherBase) return origin + path
  return version !== undefined && path.startsWith(version)
    ? baseUrl + path.slice(version.length - 1)
    : baseUrl + path
}

/**
 * Builds URL, headers and body. Credentials are added later, because some schemes sign all of these. An address that a
 * response named gets neither them nor the headers in the settings, which may hold others.
 */
export function outgoing(
  request: UpstreamRequest,
  upstream: Upstream,
  newId: (prefix: string) => string,
): OutgoingRequest {
  const { provider, headers } = upstream
  const { contentType, bytes } = bodyOf(request.body, newId)
  return {
    method: request.method,
    url: addressOf(request, upstream),
    headers: {
      'user-agent': 'sluice',
      ...provider.headers,
      ...(contentType !== undefined && { 'content-type': contentType }),
      ...request.headers,
      ...(request.elsewhere === undefined && headers),
    },
    body: bytes,
  }
}

function bodyOf(
  body: UpstreamBody | undefined,
  newId: (prefix: string) => string,
): { contentType?: string; bytes: Uint8Array | undefined } {
  switch (body?.kind) {
    case undefined:
      return { bytes: undefined }
    case 'json':
      return { contentType: 'application/json', bytes: Buffer.from(JSON.stringify(body.value)) }
    case 'bytes':
      return { contentType: body.contentType, bytes: body.bytes }
    case 'form': {
      const boundary = newId('form-')
      return {
        contentType: `multipart/form-data; boundary=${boundary}`,
        bytes: formatForm(body.parts, boundary),
      }
    }
  }
}
