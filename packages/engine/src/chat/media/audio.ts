import type { Annotation } from '../../audio/annotate.ts'
import { silenceDb } from '../../audio/listen.ts'
import { captionOf } from '../../audio/segments.ts'
import type { Medium } from '../ask/conversation.ts'
import type { MediaContext } from '../../operation.ts'

const workMs = 60_000
const segmentsMax = 20

/** As OpenAI counts sound: ten tokens a second (audio guide). */
const tokensPerSecond = 10

/** Measures a recording: format, duration, rate, channels and level, and what is heard when. */
export async function describeAudio(
  bytes: Uint8Array,
  param: string,
  { workers }: MediaContext,
): Promise<Medium> {
  const heard = await workers.run('annotateAudio', { bytes }, { timeoutMs: workMs, param })
  const seconds = Number(heard.duration.toFixed(2))
  const parts = heard.segments
    .slice(0, segmentsMax)
    .map(
      (segment) =>
        `${segment.start.toFixed(2)} to ${segment.end.toFixed(2)} s: ${captionOf(segment)}`,
    )
  const more = heard.segments.length > segmentsMax ? ', and more' : ''
  return {
    kind: 'audio',
    description: `This is a ${heard.format} audio recording with a duration of ${seconds} seconds, sampled at ${heard.sampleRate} Hz. ${channelsSentence(heard)}It holds ${parts.join('; ')}${more}.`,
    imageTokens: 0,
    audioTokens: Math.max(1, Math.ceil(heard.duration * tokensPerSecond)),
  }
}

function channelsSentence({ channels, level }: Annotation): string {
  const count =
    channels === 1
      ? '1 channel (mono)'
      : channels === 2
        ? '2 channels (stereo)'
        : `${channels} channels`
  return `It has ${count} and ${level > silenceDb ? `its level is ${level.toFixed(1)} dBFS` : 'it is silent'}. `
}
