import { silenceDb } from '../../audio/listen.ts'
import { captionOf } from '../../audio/segments.ts'
import type { MediaContext } from '../../operation.ts'
import type { Medium } from '../ask/conversation.ts'

const workMs = 60_000
const segmentsMax = 20

/** Audio tokens as OpenAI counts them (audio guide). */
const tokensPerSecond = 10

/** Measures a recording: format, duration, sampling rate, channels and level, and what is heard when. */
export async function describeAudio(
  bytes: Uint8Array,
  param: string,
  { workers }: MediaContext,
): Promise<Medium> {
  const heard = await workers.run('annotateAudio', { bytes }, { timeoutMs: workMs, param })
  const { channels, level, duration } = heard
  const parts = heard.segments
    .slice(0, segmentsMax)
    .map((part) => `${part.start.toFixed(2)} to ${part.end.toFixed(2)} s: ${captionOf(part)}`)
  const more = heard.segments.length > segmentsMax ? ', and more' : ''
  const named = channels === 1 ? '1 channel (mono)' : `${channels} channels`
  const loud = level > silenceDb ? `its level is ${level.toFixed(1)} dBFS` : 'it is silent'
  const description = [
    `This is a ${heard.format} audio recording with a duration of ${Number(duration.toFixed(2))} seconds, sampled at ${heard.sampleRate} Hz.`,
    `It has ${channels === 2 ? '2 channels (stereo)' : named} and ${loud}.`,
    `It holds ${parts.join('; ')}${more}.`,
  ].join(' ')
  const audioTokens = Math.max(1, Math.ceil(duration * tokensPerSecond))
  return { kind: 'audio', description, audioTokens }
}
