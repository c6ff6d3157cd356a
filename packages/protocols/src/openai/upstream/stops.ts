import { chatFamily, openaiMaxima } from '../../families/chat-models.ts'
import { noStops, type StopRule } from '../../stops/stop-rule.ts'
import type { StopRuleOf } from '../../stops/with-stop-rule.ts'
import type { ChatOptions } from './options.ts'

/** The stop sequences that a model of OpenAI's families accepts; a model that is not known accepts any. */
export function openaiStops(model: string): StopRule | undefined {
  const { lacks, isOpenAIs } = chatFamily(model)
  if (lacks.includes('stop')) return noStops
  return isOpenAIs === true ? { most: openaiMaxima.stops } : undefined
}

/** The same at an upstream, which may accept fewer. */
export function chatStops({ lacks = [], stopsMax }: ChatOptions): StopRuleOf {
  if (lacks.includes('stop')) return () => noStops
  if (stopsMax === undefined) return openaiStops
  return (model) => ({ most: Math.min(stopsMax, openaiStops(model)?.most ?? stopsMax) })
}
