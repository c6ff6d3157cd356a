import type { Operation } from '../operation.ts'
import { annotateInWorker, audioUsage, durationUsage, plainText } from './transcribe.ts'
import { transcriptOf, verboseSegments } from './transcript.ts'

/** The same captions as a transcription has, in English whatever is spoken. */
export const translate: Operation<'translate'> = async (request, context) => {
  const annotation = await annotateInWorker(request.file.bytes, context)
  const transcript = transcriptOf(annotation)
  const usage = audioUsage(transcript, request.prompt)
  const plain = plainText(transcript, request.response_format, usage)
  if (plain !== undefined) return plain
  const { text, duration } = transcript
  if (request.response_format !== 'verbose_json')
    return { kind: 'reply', reply: { text, usage: durationUsage(transcript) }, usage }
  const segments = verboseSegments(annotation, transcript, request.temperature ?? 0)
  const reply = { task: 'translate', language: 'english', duration, text, segments }
  return { kind: 'reply', reply: { ...reply, usage: durationUsage(transcript) }, usage }
}
