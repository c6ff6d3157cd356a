import type { EventOf, Step, Usage } from '@sluice/contract'
import type { SpokenStretch } from './speakers.ts'
import { logprobsOf, type Transcript } from './transcript.ts'

export interface StreamedTranscript {
  readonly transcript: Transcript
  /** Who speaks when; sent as segments of their own before the text is done. */
  readonly spoken: readonly SpokenStretch[] | undefined
  readonly logprobs: boolean
  readonly usage: Usage
}

/** transcript.text.delta per caption, transcript.text.segment per speaker's turn, transcript.text.done. */
export async function* transcriptEvents({
  transcript,
  spoken,
  logprobs,
  usage,
}: StreamedTranscript): AsyncIterable<Step<EventOf<'transcribe'>>> {
  const withLogprobs = (text: string) => (logprobs ? { logprobs: logprobsOf(text) } : {})
  for (const [i, { text }] of transcript.cues.entries()) {
    const delta = i === 0 ? text : ` ${text}`
    yield { event: { type: 'transcript.text.delta', delta, ...withLogprobs(delta) } }
  }
  for (const [i, turn] of (spoken ?? []).entries()) {
    const segment = { type: 'transcript.text.segment', id: `seg_${i}`, text: '[speech]', ...turn }
    yield { event: segment }
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
