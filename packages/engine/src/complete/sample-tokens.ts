import { type ChosenToken, logarithm } from '../chat/sampling/logprobs.ts'
import type { Pause } from '../chat/pause.ts'
import type { Random } from '../chat/sampling/random.ts'
import { biasOf, type SamplingSettings } from '../chat/sampling/settings.ts'
import type { NGrams, Prediction } from './n-grams.ts'

export interface SampleOptions {
  readonly history: readonly string[]
  readonly tokensMax: number
  readonly settings: SamplingSettings
  readonly random: Random
  readonly pause: Pause
  /** True once the text so far is to go on no further. */
  readonly isEnded: (text: string) => boolean
}

export interface Sampled {
  readonly tokens: readonly ChosenToken[]
  readonly finish: 'stop' | 'length'
}

const alternativesMax = 6

/** Continues a text token by token as the model foresees it, by temperature, top_p, bias and penalties. */
export async function sampleTokens(grams: NGrams, options: SampleOptions): Promise<Sampled> {
  const { settings, random } = options
  const history = options.history.slice(-3)
  const seen = new Map<string, number>()
  const tokens: ChosenToken[] = []
  let text = ''
  while (tokens.length < options.tokensMax) {
    if (tokens.length % 64 === 0) await options.pause()
    // A sentence whose end leads nowhere known is the end of the answer.
    if (tokens.length > 0 && /[.!?]["')\]]?$/.test(text) && grams.order(history) === 0)
      return { tokens, finish: 'stop' }
    const weighed = weigh(grams.predict(history), seen, settings)
    const chosen = draw(weighed, settings, random)
    if (chosen === undefined) return { tokens, finish: 'stop' }
    const alternatives = weighed
      .slice(0, alternativesMax)
      .map(({ token, probability }) => ({ token, logprob: logarithm(probability) }))
    tokens.push({ token: chosen.token, logprob: logarithm(chosen.probability), alternatives })
    text += chosen.token
    seen.set(chosen.token, (seen.get(chosen.token) ?? 0) + 1)
    history.push(chosen.token)
    if (history.length > 3) history.shift()
    if (options.isEnded(text)) return { tokens, finish: 'stop' }
  }
  return { tokens, finish: 'length' }
}

function weigh(
  predictions: readonly Prediction[],
  seen: ReadonlyMap<string, number>,
  settings: SamplingSettings,
): readonly Prediction[] {
  const { presencePenalty, frequencyPenalty, bias } = settings
  if (
    predictions.length === 0 ||
    (presencePenalty === 0 && frequencyPenalty === 0 && bias.length === 0)
  )
    return predictions
  const energies = predictions.map(({ token, probability }) => {
    const times = seen.get(token) ?? 0
    const penalty = times === 0 ? 0 : presencePenalty + frequencyPenalty * times
    return { token, energy: Math.log(probability) - penalty + biasOf(token, bias) }
  })
  return normalised(energies, 1)
}

function normalised(
  energies: readonly { readonly token: string; readonly energy: number }[],
  temperature: number,
): Prediction[] {
  const top = Math.max(...energies.map((entry) => entry.energy))
  const weights = energies.map(({ token, energy }) => ({
    token,
    probability: Math.exp((energy - top) / temperature),
  }))
  const total = weights.reduce((sum, entry) => sum + entry.probability, 0)
  return weights
    .map(({ token, probability }) => ({ token, probability: probability / total }))
    .sort(
      (left, right) => right.probability - left.probability || (left.token < right.token ? -1 : 1),
    )
}

/** The chosen token with the probability it had before temperature and top_p. */
function draw(
  weighed: readonly Prediction[],
  { temperature, topP }: SamplingSettings,
  random: Random,
): Prediction | undefined {
  const [first] = weighed
  if (first === undefined || temperature === 0) return first
  const tempered =
    temperature === 1
      ? weighed
      : normalised(
          weighed.map(({ token, probability }) => ({ token, energy: Math.log(probability) })),
          temperature,
        )
  let mark = random() * Math.min(1, Math.max(topP, tempered[0]?.probability ?? 0))
  for (const { token, probability } of tempered) {
    mark -= probability
    if (mark < 0) return weighed.find((entry) => entry.token === token)
  }
  return first
}
