import type { Codec, UpstreamBody } from '../../protocol.ts'
import { formParts, isUploadedFile } from './form.ts'
import { type PathOf, usualPath } from './options.ts'
import { decodeVideo } from './video.ts'

/** Video jobs (https://platform.openai.com/docs/api-reference/videos): JSON, or a form if an image is uploaded. */
export function openaiCreateVideo({
  path = usualPath,
}: {
  readonly path?: PathOf
} = {}): Codec<'createVideo'> {
  return {
    encode(request, context) {
      const { input_reference: reference, seconds, ...rest } = request
      const fields = {
        ...rest,
        model: context.model,
        ...(seconds == null ? {} : { seconds: String(seconds) }),
      }
      const body: UpstreamBody = isUploadedFile(reference)
        ? {
            kind: 'form',
            parts: [...formParts(fields), { name: 'input_reference', file: reference }],
          }
        : {
            kind: 'json',
            value: { ...fields, ...(reference == null ? {} : { input_reference: reference }) },
          }
      return { method: 'POST', path: path('/videos', context), body }
    },
    decode(received, context, request) {
      const { reply, jobId } = decodeVideo(received, context)
      const seconds = Number(request.seconds ?? reply.seconds)
      return { reply, jobId, usage: { inputTokens: 0, outputTokens: 0, seconds } }
    },
  }
}
