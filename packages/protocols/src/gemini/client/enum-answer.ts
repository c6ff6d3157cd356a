import {
  type ChatChunk,
  type ChatReply,
  type ChatRequest,
  type Fields,
  invalidRequest,
  isObject,
  objectOf,
} from '@sluice/contract'
import { pick } from '../spelling.ts'

// `responseMimeType: text/x.enum` (https://ai.google.dev/gemini-api/docs/structured-output#enum-values): the response is one of
// the values, without quotation marks. Other targets demand an object at the top of a schema, so the value is the only property
// of one, and is taken out of the response again.

const enumType = 'text/x.enum'
const property = 'value'

/** Whether the response must be one of the values of an enumeration. */
export function wantsEnum(request: unknown): boolean {
  return isEnum(objectOf(pick(objectOf(request), 'generationConfig')))
}

/** The same for a generationConfig. */
export function isEnum(config: Fields): boolean {
  return pick(config, 'responseMimeType') === enumType
}

/**
 * The response format for an enumeration. `schema` is its JSON Schema, `path` the place of the schema in the request. Throws
 * invalid_request if the schema is not one of strings.
 */
export function enumFormat(
  schema: Fields | undefined,
  path: string,
): NonNullable<ChatRequest['response_format']> {
  if (schema === undefined)
    throw invalidRequest(`${enumType} needs a schema with an enum of strings`, path)
  const { type = 'string', enum: values, description, title } = schema
  if (type !== 'string')
    throw invalidRequest(`The type of a schema for ${enumType} must be STRING`, `${path}.type`)
  if (!Array.isArray(values) || values.length === 0)
    throw invalidRequest(`A schema for ${enumType} needs an enum of strings`, `${path}.enum`)
  const wrong = values.findIndex((value) => typeof value !== 'string')
  if (wrong >= 0)
    throw invalidRequest(`The values for ${enumType} must be strings`, `${path}.enum[${wrong}]`)
  const inner = {
    type: 'string',
    ...(typeof title === 'string' ? { title } : {}),
    ...(typeof description === 'string' ? { description } : {}),
    enum: [...new Set(values)],
  }
  return {
    type: 'json_schema',
    json_schema: {
      name: 'response',
      strict: true,
      schema: {
        type: 'object',
        properties: { [property]: inner },
        required: [property],
        additionalProperties: false,
      },
    },
  }
}

/** The response with the bare value as its text. */
export function withBareValues(reply: ChatReply): ChatReply {
  return {
    ...reply,
    choices: reply.choices.map((choice) => ({
      ...choice,
      message: { ...choice.message, content: bareValue(choice.message.content), text_places: [] },
    })),
  }
}

const cutValue = new RegExp(String.raw`^\{\s*"${property}"\s*:\s*("(?:[^"\\]|\\.)*)`)

/** The value in the text of a response. A text that is not JSON is the value itself; of one that was cut, what is there. */
function bareValue<T extends string | null | undefined>(content: T): T | string {
  if (typeof content !== 'string') return content
  const text = content.trim()
  const value = parsed(text) ?? parsed(`${cutValue.exec(text)?.[1] ?? ''}"`)
  const bare = isObject(value) ? value[property] : value
  return typeof bare === 'string' ? bare : content
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A longer text is not a value and is passed on as it is. */
const heldCharactersMax = 65_536

/** Holds back the text of each streamed choice until it is complete, and replaces it by the value. */
export class StreamedValues {
  readonly #held = new Map<number, string>()

  /** The chunk without the text that is held back, and with that which is complete. */
  read(chunk: ChatChunk): ChatChunk {
    return { ...chunk, choices: chunk.choices.map((choice) => this.#choice(choice)) }
  }

  /** The values of choices that ended without a finish reason, by the index of the choice. */
  rest(): ReadonlyMap<number, string> {
    return new Map([...this.#held].map(([index, text]) => [index, bareValue(text)]))
  }

  #choice(choice: ChatChunk['choices'][number]): ChatChunk['choices'][number] {
    const { index, delta } = choice
    const text = (this.#held.get(index) ?? '') + (delta.content ?? '')
    const isWhole = choice.finish_reason !== null || text.length > heldCharactersMax
    if (!isWhole && text === '') return choice
    if (isWhole) this.#held.delete(index)
    else this.#held.set(index, text)
    return { ...choice, delta: { ...delta, content: isWhole ? bareValue(text) : '' } }
  }
}
