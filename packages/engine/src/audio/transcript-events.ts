import type { EventOf, Step, Usage } from '@sluice/contract'
import { logprobsOf, type Transcript } from './transcript.ts'

export interface StreamedTranscript {
  readonly transcript: Transcript
  readonly logprobs: boolean
  readonly usage: Usage
}

/** transcript.text.delta per caption, then transcript.text.done. */
export async function* transcriptEvents({
  transcript,
  logprobs,
  usage,
}: StreamedTranscript): AsyncIterable<Step<EventOf<'transcribe'>>> {
  const withLogprobs = (text: string) => (logprobs ? { logprobs: logprobsOf(text) } : {})
  for (const [i, { text }] of transcript.cues.entries()) {
    const delta = i === 0 ? text : ` ${text}`
    yield { event: { type: 'transcript.text.delta', delta, ...withLogprobs(delta) } }
  }
  const { text } = transcript
  yield {
    event: {
      type: 'transcript.text.done',
      text,
      ...withLogprobs(text),
      usage: tokenUsage(usage),
    },
  }
  yield { usage }
}

function tokenUsage({ inputTokens, outputTokens, audioInputTokens = 0 }: Usage) {
  return {
    type: 'tokens',
    input_tokens: inputTokens,
    input_token_details: {
      text_tokens: inputTokens - audioInputTokens,
      audio_tokens: audioInputTokens,
    },
    output_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
  }
}
