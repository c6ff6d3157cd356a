import { performance } from 'node:perf_hooks'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Call, CallEnd } from '@sluice/gateway/call/call.ts'
import { codeIn } from './deliver.ts'
import { shownId, takeFace } from './face.ts'
import { pathOf } from './urls.ts'

/** Collects the facts of an ended request. */
export function endOf(
  request: FastifyRequest,
  { raw }: FastifyReply,
  { startedAt, disconnected }: { readonly startedAt: number; readonly disconnected: boolean },
): CallEnd {
  const { id, givenId, method, url, apiKey: key, call, trace, admission } = request
  const code = request.errorCode ?? (call?.trail.failure && codeInStream(request, call))
  const failure = request.failure ?? call?.trail.failure
  const format = call?.format ?? request.format ?? request.routeOptions.config?.format
  const refusedBy = admission?.refusedBy
  // Set one by one: merging objects takes several times as long.
  const end: { -readonly [Field in keyof CallEnd]: CallEnd[Field] } = {
    id,
    method,
    path: pathOf(url),
    // Node reports 200 if nothing was sent.
    status: raw.headersSent ? raw.statusCode : 499,
    durationMs: performance.now() - startedAt,
    disconnected,
  }
  if (givenId !== undefined) end.givenId = givenId
  if (key) end.key = key
  if (call) end.call = call
  if (code !== undefined) end.code = code
  if (failure) {
    end.failure = failure.code
    end.reason = failure.message
  }
  if (refusedBy !== undefined) end.refusedBy = refusedBy
  if (format) end.format = format
  if (trace) end.trace = trace
  return end
}

/** The error code in the error event at the end of a stream. */
function codeInStream(request: FastifyRequest, { trail: { failure } }: Call): string | undefined {
  const { error: bodyOf } = takeFace(request, request.routeOptions.config.face)
  return failure && codeIn(bodyOf(failure, shownId(request)))
}
