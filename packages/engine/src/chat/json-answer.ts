import { type ChatRequest, GatewayError } from '@sluice/contract'
import type { Answer, Ask } from './ask/ask.ts'
import { freshResults, lastUserTurn } from './ask/conversation.ts'
import { pointedText } from './ask/operand.ts'
import { type Clues, findClues } from './schema/clues.ts'
import { createInstance } from './schema/instance.ts'
import { asSchema, type JsonSchema } from './schema/json-schema.ts'

/** The required form of the content: free text, any JSON object, or an instance of a schema. */
export type JsonWish =
  | { readonly kind: 'none' }
  | { readonly kind: 'object' }
  | { readonly kind: 'schema'; readonly schema: JsonSchema }

/** A schema without constraints means an object, as JSON without a schema does. */
export function jsonWishOf({ response_format: format }: ChatRequest): JsonWish {
  if (format == null || format.type === 'text') return { kind: 'none' }
  if (format.type === 'json_object') return { kind: 'object' }
  const { schema } = format.json_schema
  const says = Object.keys(schema).some((key) => key !== 'description')
  return says ? { kind: 'schema', schema: asSchema(schema) } : { kind: 'object' }
}

/** JSON text, filled from the conversation. Throws invalid_request (param `response_format`) if no instance was found. */
export function jsonAnswer(
  wish: Exclude<JsonWish, { kind: 'none' }>,
  ask: Ask,
  answer: Answer,
): string {
  const clues = jsonClues(ask, answer)
  const schema = wish.kind === 'schema' ? wish.schema : objectSchema(ask)
  const made = schema === undefined ? undefined : createInstance(schema, clues)
  if (made !== undefined) return JSON.stringify(made.value)
  if (wish.kind === 'object') return JSON.stringify(freeObject(ask, answer, clues))
  throw new GatewayError('invalid_request', 'No value was found that this schema allows', {
    param: 'response_format.json_schema',
  })
}

/** An instance of a schema as JSON text, filled from the conversation; undefined if none was found. */
export function jsonOf(schema: JsonSchema, ask: Ask, answer: Answer): string | undefined {
  const made = createInstance(schema, jsonClues(ask, answer))
  return made === undefined ? undefined : JSON.stringify(made.value)
}

/** Clues from tools, images, the request and the parts of the conversation that answer it or that it refers to. */
function jsonClues(ask: Ask, answer: Answer): Clues {
  const { now, conversation, passage, text } = ask
  const results = freshResults(conversation).map((turn) => turn.text)
  const media = lastUserTurn(conversation)?.media.map((medium) => medium.description) ?? []
  const told = answer.skill === 'question' ? answer.evidence : [pointedText(ask) ?? '']
  const own = passage === '' ? [...told, text] : [passage]
  return findClues([...results, ...media, ...own].join('\n'), { now, answer })
}

const keyList =
  /\b(?:keys?|fields?|properties|attributes)\b(?: (?:named|called|are|of|for))?:? ((?:["'`]?[A-Za-z_][\w-]{0,40}["'`]?(?: \([^)]{0,60}\))?(?:, ?(?:and )?| and |,? & )){0,30}["'`]?[A-Za-z_][\w-]{0,40}["'`]?)(?![\w-]{0,40}["'`]? ?[=:] ?\S)/i
/** "a JSON object with name and age for …". */
const objectKeys =
  /\bjson(?: object| document)?(?: with| containing| of| having)(?: the| a| an)* ([a-z_]\w{0,40}(?:(?:, ?(?:and )?| and )(?:the |a |an )?[a-z_]\w{0,40}){0,30})(?= (?:for|from|of|about|in)\b| ?[:.\n]|$)/i
const templateKey = /"([A-Za-z_][\w -]{0,40})"\s*:/g

/** The keys that the prompt asks for or shows in an example of the object. */
function objectSchema(ask: Ask): JsonSchema | undefined {
  const prompt = `${ask.instruction}\n${ask.instructions.slice(0, 4000)}`
  const listed = keyList.exec(prompt)?.[1] ?? objectKeys.exec(prompt)?.[1]
  const keys =
    listed
      ?.replace(/\([^)]*\)/g, '')
      .split(/,|\band\b|&/)
      .map((key) => key.trim().replace(/^["'`]|["'`]$/g, '')) ??
    [...prompt.matchAll(templateKey)].map((match) => match[1] ?? '')
  const names = [...new Set(keys)].filter((key) => key !== '').slice(0, 60)
  if (names.length === 0) return undefined
  const schemas = names.map((name) => [name, listName.test(name) ? { type: 'array' } : {}])
  // None is required: an optional property is left out and not invented.
  return { type: 'object', properties: Object.fromEntries(schemas) }
}

const listName =
  /(?:list|items|names|tags|keywords|numbers|values|steps|participants|people|topics|ingredients|cities|colou?rs|emails|words)$/i

function freeObject(ask: Ask, answer: Answer, clues: Clues): Record<string, unknown> {
  const isTold = ask.passage !== '' || answer.skill === 'none'
  const pairs = [...clues.pairs]
  if (isTold && pairs.length > 0 && answer.skill !== 'arithmetic')
    return Object.fromEntries(pairs.map(([name, text]) => [name, scalar(text)]))
  // Unknown values are left out of the object.
  return answer.skill === 'none'
    ? {}
    : { answer: scalar(answer.value ?? answer.phrasings[0] ?? '') }
}

function scalar(text: string): string | number | boolean {
  if (text === 'true' || text === 'false') return text === 'true'
  return /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?$/.test(text) ? Number(text) : text
}
