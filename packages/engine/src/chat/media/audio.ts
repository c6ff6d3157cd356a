import { GatewayError } from '@sluice/contract'
import { captionOf } from '../../audio/captions.ts'
import { parseWav, readWav } from '../../audio/wav.ts'
import type { Medium } from '../ask/conversation.ts'
import type { MediaContext } from '../../operation.ts'

const workMs = 60_000
const segmentsMax = 20
/** What the level is measured on, at most. */
const levelFramesMax = 500_000

/** As OpenAI counts sound: ten tokens a second (audio guide). */
const tokensPerSecond = 10

/** Measures a recording: format, duration, rate, channels and level, and what is heard when. */
export async function describeAudio(
  bytes: Uint8Array,
  param: string,
  { workers, signal }: MediaContext,
): Promise<Medium> {
  const heard = await workers
    .run('annotateAudio', { bytes }, { signal, timeoutMs: workMs })
    .catch((thrown: unknown) => {
      throw thrown instanceof GatewayError &&
        thrown.blame === 'caller' &&
        thrown.code !== 'cancelled'
        ? new GatewayError(thrown.code, thrown.message, { param, cause: thrown })
        : thrown
    })
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
    description: `This is a ${heard.format} audio recording with a duration of ${seconds} seconds, sampled at ${heard.sampleRate} Hz. ${wavSentence(bytes)}It holds ${parts.join('; ')}${more}.`,
    imageTokens: 0,
    audioTokens: Math.max(1, Math.ceil(heard.duration * tokensPerSecond)),
  }
}

function wavSentence(bytes: Uint8Array): string {
  const layout = parseWav(bytes)
  if (layout === undefined || layout.frames === 0) return ''
  const channels =
    layout.channels === 1
      ? '1 channel (mono)'
      : layout.channels === 2
        ? '2 channels (stereo)'
        : `${layout.channels} channels`
  const samples = readWav(bytes, layout, 0, Math.min(layout.frames, levelFramesMax))
  let power = 0
  for (const sample of samples) power += sample * sample
  const decibels = 10 * Math.log10(power / Math.max(1, samples.length))
  const level = Number.isFinite(decibels)
    ? `its level is ${decibels.toFixed(1)} dBFS`
    : 'it is silent'
  return `It has ${channels} and ${level}. `
}
