import type { ChatRequest } from '@sluice/contract'
import { messageText } from '../prompt-tokens.ts'
import type { JsonSchema } from '../schema/json-schema.ts'
import { findSchema, type FoundSchema } from './find-schema.ts'
import { asksAboutSchema, withoutFormat, withoutFrame } from './format-words.ts'

/** A conversation's texts, and the schema in them that the response must match. */
export interface Prompted {
  /** One text per message, without the schema and the sentences about the form of the response. */
  readonly texts: readonly string[]
  /** Undefined if the prompt has none. */
  readonly schema: JsonSchema | undefined
}

/**
 * Finds the schema that a prompt says the response must match, in any wording: in a system message, or in the messages of the
 * last user turn. The sentences next to it say how to respond, so no values may be taken from them.
 */
export function readPrompted(request: ChatRequest): Prompted {
  const { messages, response_format: format } = request
  const texts = messages.map(messageText)
  const lastUser = messages.findLastIndex(({ role }) => role === 'user')
  const firstUser =
    messages.findLastIndex(({ role }, index) => index < lastUser && role !== 'user') + 1
  const isRead = (index: number): boolean => {
    const role = messages[index]?.role
    return role === 'system' || role === 'developer' || (index >= firstUser && index <= lastUser)
  }
  const isDemanded = format != null && format.type !== 'text'
  const found = texts.map((text, index) =>
    isRead(index) ? promptedIn(text, index, { isDemanded, request }) : undefined,
  )
  const schema = found.findLast((one) => one !== undefined)?.schema
  if (schema === undefined) return { texts, schema }
  return {
    schema,
    texts: texts.map((text, index) => {
      if (!isRead(index)) return text
      const own = found[index]
      if (own !== undefined) return own.rest
      return messages[index]?.role === 'user' ? withoutFrame(text.replace(fieldHeading, '')) : text
    }),
  }
}

/** How DSPy heads the values that it sends. */
const fieldHeading = /^\[\[ ## \w{1,60} ## \]\]\n?/gm

interface PromptedText {
  readonly schema: JsonSchema
  readonly rest: string
}

/** Words before a schema that is not one of responses. */
const foreign =
  /\b(?:input|inputs|tool|tools|function|functions|arguments?|parameters?|params|request body|payload)\b/i
const own =
  /\b(?:respon\w*|outputs?|answer\w*|repl(?:y|ies)|return\w*|results?|json schema|conform\w*|match\w*)\b/i
const demand = /\bjson\b|\bschema\b|\bformat\b|\bstructure\b|\bfields\b|\btypes?\b|格式|结构/i

function promptedIn(
  text: string,
  index: number,
  { isDemanded, request }: { readonly isDemanded: boolean; readonly request: ChatRequest },
): PromptedText | undefined {
  const found = findSchema(text)
  if (found === undefined) return undefined
  const { text: rest, removed } = withoutFormat(text, found.range)
  if (!isWanted(found, { text, removed, isDemanded })) return undefined
  const isAlone = rest === '' && removed.length === 0
  const isAsked = request.messages.some(
    (message, other) =>
      other !== index && message.role === 'user' && messageText(message).trim() !== '',
  )
  return isAlone && !isAsked && !isDemanded ? undefined : { schema: found.schema, rest }
}

function isWanted(
  { kind, range, start }: FoundSchema,
  {
    text,
    removed,
    isDemanded,
  }: { readonly text: string; readonly removed: readonly string[]; readonly isDemanded: boolean },
): boolean {
  const lead = text.slice(Math.max(0, start - 200), start)
  const beside = `${lead} ${removed.join(' ')} ${text.slice(range.end, range.end + 100)}`
  if (removed.some(asksAboutSchema)) return false
  if (kind !== 'schema')
    return (
      (removed.length > 0 || range.start < start) &&
      demand.test(beside) &&
      (kind === 'types' || isForm.test(beside))
    )
  const line = lead.slice(lead.lastIndexOf('\n', lead.trimEnd().length - 1) + 1)
  return isDemanded || !foreign.test(line) || own.test(line)
}

/** An object with values is a form to fill only if the words beside it say so: otherwise it may be what the request is about. */
const isForm =
  /\b(?:(?:this|following|exact|below|the|specified|given) (?:json )?(?:format|structure|template|schema|form|shape)|in (?:this|the following) form|(?:json object|json) (?:with|like|of|in) (?:this|the following)|with the following (?:fields|keys))\b|格式/i
