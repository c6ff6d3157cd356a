import { type Fields, isObject } from '@sluice/contract'
import { chatFamily } from '../../families/chat-models.ts'
import { isNeutral } from '../../neutral-values.ts'
import type { Native } from '../../protocol.ts'
import { takesStops } from '../../stops/stop-rule.ts'
import { longIds } from './inspect-chat.ts'
import { type ChatOptions, effortObjects } from './options.ts'
import { chatStops } from './stops.ts'

/**
 * Whether an upstream with these options understands a chat request as it is, so that its bytes may be sent unchanged.
 * Otherwise the codec translates or rejects what only this gateway's form of chat completions has.
 */
export function fitsChat(options: ChatOptions = {}): NonNullable<Native['takes']> {
  const { knows, lacks = [], effortIn = [] } = options
  const known: ReadonlySet<string> = new Set(knows)
  const foreign = [
    ...(['top_k', 'thinking_budget'] as const).filter((name) => !known.has(name)),
    ...effortObjects.filter((name) => !effortIn.includes(name)),
  ]
  const stopsOf = chatStops(options)
  return (request, { isPlain, extensions }, model) => {
    if (!isObject(request)) return false
    if (knows === undefined && hasOlderLimit(model, request)) return false
    if (isPlain) return true
    for (const name of extensions)
      if (name === longIds ? chatFamily(model).isOpenAIs === true : !known.has(name)) return false
    if (foreign.some((name) => request[name] != null)) return false
    if (lacks.some((name) => name !== 'stop' && !isNeutral(name, request[name]))) return false
    if (!takesStops(request['stop'], stopsOf(model))) return false
    return !(known.has('search_settings') && request['web_search_options'] != null)
  }
}

/**
 * Whether the request uses the older name of the limit. OpenAI's models that can reason always reject it, even if they do not
 * reason for this request ("Use 'max_completion_tokens' instead").
 */
function hasOlderLimit(model: string, request: Fields): boolean {
  return request['max_tokens'] != null && chatFamily(model).lacks.includes('temperature')
}
