/**
 * Requests that generateContent of Gemini 3 refuses with status 400, so that fake upstreams are no more lenient than the API.
 */
import { isDeepStrictEqual } from 'node:util'
import { unknownGeminiField } from './gemini-fields.ts'

type Fields = Readonly<Record<string, unknown>>

export interface IssuedCall {
  readonly name: string
  readonly args: unknown
}

/** Calls by the signature that was issued with them. */
export type IssuedCalls = ReadonlyMap<string, IssuedCall>

interface Content {
  readonly role?: string
  readonly parts: readonly Fields[]
}

const fields: ReadonlySet<string> = new Set([
  'contents',
  'systemInstruction',
  'tools',
  'toolConfig',
  'safetySettings',
  'generationConfig',
  'cachedContent',
])

/** The API's error message for the first rule that a request breaks; undefined for a valid request. */
export function brokenContentRule(
  body: Fields,
  issued: IssuedCalls,
  model = '',
): string | undefined {
  const unknown = Object.keys(body).find((name) => !fields.has(name))
  if (unknown !== undefined) return `Invalid JSON payload received. Unknown name "${unknown}"`
  const inner = unknownGeminiField(body)
  if (inner !== undefined) return `Invalid JSON payload received. Unknown name ${inner}`
  const contents = body['contents'] as readonly Content[] | undefined
  if (!contents?.length) return '* GenerateContentRequest.contents: contents is not specified'
  // From 3.2 on; 3.5 Flash still accepted one.
  if (contents.at(-1)?.role === 'model' && /gemini-(3\.([2-46-9]|5-flash-lite)|[4-9])/.test(model))
    return 'Requests ending with a model turn are not supported unless the last part is a function response.'
  return (
    brokenConfig((body['generationConfig'] ?? {}) as Fields, model) ??
    brokenSchemas(body) ??
    brokenTurns(contents) ??
    (/gemini-[12]/.test(model) ? undefined : brokenSignatures(contents, issued))
  )
}

/** What a Gemini model of some generation rejects. */
function brokenConfig(config: Fields, model: string): string | undefined {
  if (((config['stopSequences'] ?? []) as readonly string[]).length > 5)
    return 'Unable to submit request because it has more than 5 stopSequences'
  const penalties = [config['presencePenalty'], config['frequencyPenalty']]
  if (/gemini-(2\.5|3)/.test(model) && penalties.some(Boolean))
    return 'Penalty is not enabled for this model'
  const { thinkingLevel, thinkingBudget: budget } = (config['thinkingConfig'] ?? {}) as Fields
  // The first value of an enumeration stands for none.
  const level = thinkingLevel === 'THINKING_LEVEL_UNSPECIFIED' ? undefined : thinkingLevel
  if (level !== undefined && budget !== undefined)
    return 'You can only set only one of thinking budget and thinking level.'
  if (level !== undefined && /gemini-[12]/.test(model))
    return 'Thinking level is not supported for this model.'
  if (level === 'MINIMAL' && /gemini-3-pro/.test(model))
    return 'Thinking level MINIMAL is not supported for this model.'
  if (Number(budget ?? 0) > 0 && /gemini-(1|2\.0)/.test(model))
    return 'Thinking is not supported by this model'
  return budget === 0 && /gemini-2\.5-pro/.test(model)
    ? 'Budget 0 is invalid. This model only works in thinking mode.'
    : undefined
}

const schemaFields: ReadonlySet<string> = new Set([
  'type',
  'format',
  'title',
  'description',
  'nullable',
  'enum',
  'items',
  'minItems',
  'maxItems',
  'properties',
  'required',
  'propertyOrdering',
  'anyOf',
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'pattern',
  'default',
  'example',
])

function brokenSchemas(body: Fields): string | undefined {
  const tools = (body['tools'] ?? []) as readonly { functionDeclarations?: readonly Fields[] }[]
  for (const declared of tools.flatMap(({ functionDeclarations: all = [] }) => all)) {
    if (!/^[a-zA-Z_][\w.:-]{0,127}$/.test(String(declared['name'])))
      return 'Invalid function name. Must start with a letter or an underscore.'
    const unknown = unknownIn(declared['parameters'])
    if (unknown !== undefined)
      return `Invalid JSON payload received. Unknown name "${unknown}" at 'tools[0].function_declarations[0].parameters'`
  }
  return undefined
}

function unknownIn(schema: unknown): string | undefined {
  if (typeof schema !== 'object' || schema === null) return undefined
  const { properties, items, anyOf, ...rest } = schema as Fields
  const inner = [...Object.values((properties ?? {}) as Fields), items, ...((anyOf ?? []) as [])]
  return (
    Object.keys(rest).find((name) => !schemaFields.has(name)) ??
    inner.map(unknownIn).find((name) => name !== undefined)
  )
}

const callsOf = ({ parts }: Content) => parts.filter((part) => 'functionCall' in part)
const resultsOf = ({ parts }: Content) => parts.filter((part) => 'functionResponse' in part)

function brokenTurns(contents: readonly Content[]): string | undefined {
  for (const [at, content] of contents.entries()) {
    const before = contents[at - 1]
    if (content.role !== 'user' && content.role !== 'model')
      return 'Please use a valid role: user, model.'
    if (content.parts.length === 0)
      return `* GenerateContentRequest.contents[${at}].parts: contents.parts must not be empty.`
    const calls = callsOf(content)
    const results = resultsOf(content)
    if (calls.length > 0 && before?.role !== 'user')
      return 'Please ensure that function call turn comes immediately after a user turn or after a function response turn.'
    const asked = before ? callsOf(before) : []
    if (asked.length !== results.length)
      return 'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.'
    if (results.length > 0 && results.length < content.parts.length)
      return 'Please ensure that a function response turn holds nothing else.'
    for (const [index, { functionResponse }] of results.entries()) {
      const { name, response } = functionResponse as Fields
      if (typeof response !== 'object' || response === null || Array.isArray(response))
        return 'Invalid value at function_response.response (type.googleapis.com/google.protobuf.Struct)'
      if (name !== (asked[index]?.['functionCall'] as Fields)['name'])
        return 'Please ensure that function responses are named like their calls.'
    }
  }
  if (callsOf(contents.at(-1)!).length > 0) return 'Please ensure that calls are answered.'
  return undefined
}

/** The value that Google accepts in place of a signature if the history comes from another model. */
export const signatureBypass = 'skip_thought_signature_validator'

/** The first call of each step of the current turn must have its signature (Gemini API, thought signatures). */
function brokenSignatures(contents: readonly Content[], issued: IssuedCalls): string | undefined {
  const begins = contents.findLastIndex(
    (content) => content.role === 'user' && resultsOf(content).length === 0,
  )
  for (const [at, content] of contents.entries())
    for (const [index, part] of callsOf(content).entries()) {
      const { name, args } = part['functionCall'] as Fields
      const signature = part['thoughtSignature']
      if (signature === undefined) {
        if (index > 0 || at < begins) continue
        return `Function call is missing a thought_signature in functionCall parts. Additional data, function call \`default_api:${String(name)}\`, position ${at}.`
      }
      if (signature === signatureBypass) continue
      const call = issued.get(String(signature))
      if (call?.name !== name || !isDeepStrictEqual(call?.args, args))
        return `Corrupted thought signature. Position ${at}.`
    }
  return undefined
}
