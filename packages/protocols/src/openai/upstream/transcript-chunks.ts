import { type Fields, isObject, listOf, objectOf, someText } from '@sluice/contract'

// vLLM streams transcripts in chunks like those of a chat (docs.vllm.ai, transcriptions API).

/** The text that a chunk adds to the transcript; undefined if the event is not such a chunk. */
export function chunkText(data: Fields): string | undefined {
  if (!Array.isArray(data['choices']) || data['type'] !== undefined) return undefined
  return listOf(data['choices'])
    .map((choice) => someText(objectOf(objectOf(choice)['delta'])['content']) ?? '')
    .join('')
}

/** Whether a chunk has a finish reason, so that no text follows it. */
export function endsTranscript(data: Fields): boolean {
  return listOf(data['choices']).some(
    (choice) => isObject(choice) && someText(choice['finish_reason']) !== undefined,
  )
}
