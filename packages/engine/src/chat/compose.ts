import { type ChatRequest, GatewayError, parseJson, type Usage } from '@sluice/contract'
import {
  type Answer,
  type Ask,
  createAsk,
  freshResults,
  lastUserTurn,
  type Medium,
  pointedText,
} from './ask/ask.ts'
import { createDrafts, type Draft } from './draft.ts'
import { type ReadRequest, readRequest } from './read-request.ts'
import { type Clues, findClues } from './schema/clues.ts'
import { createInstance } from './schema/instance.ts'
import { asSchema, type JsonSchema } from './schema/json-schema.ts'
import { answer as answerAsk } from './skills/index.ts'
import { nextCalls } from './tools/next-calls.ts'
import type { PlannedCall } from './tools/plan.ts'
import { toolUseOf } from './tools/tool.ts'

/** A request with everything that is needed to respond to it. */
export interface ComposeInput {
  /** Its content parts are only texts. */
  readonly request: ChatRequest
  /** The other parts after they were opened, per message. */
  readonly media: readonly (readonly Medium[])[]
  /** In milliseconds since the epoch. */
  readonly now: number
  readonly seed: number
}

export interface Composed {
  readonly drafts: readonly Draft[]
  readonly input: Usage
}

/** Reads a conversation and computes what to say or what to call, without side effects. */
export async function composeChat({ request, media, now, seed }: ComposeInput): Promise<Composed> {
  const read = readRequest(withQuestion(request), media)
  const ask = createAsk(read.conversation, now)
  const answer = answerAsk(ask)
  const calls = nextCalls(toolUseOf(request), ask, answer)
  const phrasings =
    calls.length > 0 ? [] : phrasingsOf(request, ask, { answer, prompted: read.schema })
  const thought = { calls, phrasings, reasoning: reasoningOf(answer, calls) }
  return { drafts: await createDrafts(request, thought, seed), input: inputUsage(read) }
}

/** Without a message of a user, as BAML sends prompts, the last system message is the question. */
function withQuestion(request: ChatRequest): ChatRequest {
  const { messages } = request
  const last = messages.findLastIndex(({ role }) => role === 'system' || role === 'developer')
  const message = messages[last]
  if (message === undefined || messages.some(({ role }) => role === 'user')) return request
  return { ...request, messages: messages.with(last, { ...message, role: 'user' }) }
}

/** The same with the request as JSON. */
export interface SentInput extends Omit<ComposeInput, 'request'> {
  readonly request: string
}

export async function composeSentChat({ request, ...rest }: SentInput): Promise<Composed> {
  // It was a request before it was sent.
  return composeChat({ ...rest, request: parseJson(request) as ChatRequest })
}

function phrasingsOf(
  request: ChatRequest,
  ask: Ask,
  { answer, prompted }: { readonly answer: Answer; readonly prompted: JsonSchema | undefined },
): readonly string[] {
  const wish = jsonWishOf(request)
  const own =
    prompted === undefined || wish.kind === 'schema' ? undefined : jsonOf(prompted, ask, answer)
  if (own !== undefined) return [own]
  if (wish.kind !== 'none') return [jsonAnswer(wish, ask, answer)]
  const style = styleOf(ask)
  if (style.json && answer.verbatim !== true) {
    const json = jsonAnswer({ kind: 'object' }, ask, answer)
    // Only the text asks for JSON, so if there are no values, the answer is given in words.
    if (json !== '{}') return [json]
  }
  const ways = styled(answer, style)
  return request.verbosity === 'low'
    ? ways.toSorted((left, right) => left.length - right.length)
    : ways
}

function inputUsage({ textTokens, imageTokens, audioTokens }: ReadRequest): Usage {
  return {
    inputTokens: textTokens + imageTokens + audioTokens,
    outputTokens: 0,
    imageInputTokens: imageTokens,
    audioInputTokens: audioTokens,
  }
}

function reasoningOf({ skill }: Answer, calls: readonly PlannedCall[]): string {
  const names = calls.map(({ tool }) => tool.name).join(', ')
  if (names !== '')
    return `The request calls for ${names}; the arguments are filled from its words.`
  return skill === 'none'
    ? 'No skill of the built-in engine applies to this request.'
    : `The skill that applies is ${skill}.`
}

/** The required form of the content: free text, any JSON object, or an instance of a schema. */
type JsonWish =
  | { readonly kind: 'none' }
  | { readonly kind: 'object' }
  | { readonly kind: 'schema'; readonly schema: JsonSchema }

/** A schema without constraints means an object, as JSON without a schema does. */
function jsonWishOf({ response_format: format }: ChatRequest): JsonWish {
  if (format == null || format.type === 'text') return { kind: 'none' }
  if (format.type === 'json_object') return { kind: 'object' }
  const { schema } = format.json_schema
  const says = Object.keys(schema).some((key) => key !== 'description')
  return says ? { kind: 'schema', schema: asSchema(schema) } : { kind: 'object' }
}

/** JSON text, filled from the conversation. Throws invalid_request (param `response_format`) if no instance was found. */
function jsonAnswer(wish: Exclude<JsonWish, { kind: 'none' }>, ask: Ask, answer: Answer): string {
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
function jsonOf(schema: JsonSchema, ask: Ask, answer: Answer): string | undefined {
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

/** The keys that the prompt asks for. */
function objectSchema(ask: Ask): JsonSchema | undefined {
  const prompt = `${ask.instruction}\n${ask.instructions.slice(0, 4000)}`
  const listed = keyList.exec(prompt)?.[1] ?? objectKeys.exec(prompt)?.[1]
  const keys =
    listed
      ?.replace(/\([^)]*\)/g, '')
      .split(/,|\band\b|&/)
      .map((key) => key.trim().replace(/^["'`]|["'`]$/g, '')) ?? []
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

/** The form of the answer that the system text or the request asks for. */
interface Style {
  /** Changes the case of letters. */
  readonly decorate: (text: string) => string
  /** Only the value. */
  readonly bare: boolean
  readonly json: boolean
}

const said = String.raw`\b(?:answer|respond|reply|speak|write|output|return|responses?|answers?|replies)\b`
const upper = new RegExp(
  `${said}[^.\\n]{0,80}\\b(?:upper ?case|all caps|capital letters|capitals)\\b`,
  'i',
)
const oneWord = /\b(?:one|single|1)[- ]word\b(?: (?:answers?|only|repl\w+|responses?))?/i
const bare =
  /\b(?:only|just)(?: with| give| return| output| reply| respond| answer)*(?: me)?(?: the)? (?:final |numeric(?:al)? |correct |exact |bare )?(?:number|answer|result|value|name|digits?|date|year|word|label|category|letter|sentiment)\b|\b(?:number|answer|digits?|label|name|result) only\b|\bno (?:explanations?|other (?:text|words)|extra (?:text|words)|commentary|prose)\b|\bnothing (?:else|but)\b|\bwithout (?:any )?(?:explanation|other text|further text|additional text)\b|\bas a (?:single )?number\b|\byes or no\b.{0,20}\bonly\b|\bonly (?:yes or no|with yes or no)\b|\b(?:answer|reply|respond)(?: with)? (?:simply |just )?["']?yes["']? or ["']?no["']?\b|\bbe (?:very |extremely )?(?:terse|brief|concise)\b|\bconcisely\b/i
const json = new RegExp(
  `${said}[^.\\n]{0,60}\\bjson\\b|\\bjson (?:object|format|only|output|response)\\b|\\bas json\\b|\\bin json\\b|\\binto json\\b|\\bto json\\b`,
  'i',
)
export function styleOf(ask: Ask): Style {
  const text = `${ask.orders}\n${ask.manner}\n${ask.instruction}`
  const isUpper = upper.test(text)
  return {
    decorate: (plain) => (isUpper ? plain.toUpperCase() : plain),
    bare: oneWord.test(text) || bare.test(text),
    json: json.test(text),
  }
}

/** The wordings of an answer in the requested style; never empty. */
export function styled(answer: Answer, { bare, decorate }: Style): readonly string[] {
  if (answer.verbatim === true) return answer.phrasings
  const ways = bare && answer.value !== undefined ? [answer.value] : answer.phrasings
  return [...new Set(ways.map(decorate))]
}
