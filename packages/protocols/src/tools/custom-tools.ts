import {
  type Fields,
  formatJson,
  isObject,
  parseJson,
  type Tool,
  type ToolCall,
  textOf,
} from '@sluice/contract'
import { isTooMuch } from '../call-arguments.ts'

// Free-form tools, which most targets do not support, as functions with one string.

const input = 'input'

/** The tool as a function. A grammar for its text is written into the description, but nothing enforces it. */
export function customAsFunction({ custom, cache_control: cache }: Tool, name: string): Tool {
  const { description, format } = custom ?? {}
  const lines = [description ?? '', grammarOf(format)].filter((text) => text !== '')
  return {
    type: 'function',
    function: {
      name,
      ...(lines.length === 0 ? {} : { description: lines.join('\n\n') }),
      parameters: {
        type: 'object',
        properties: {
          [input]: { type: 'string', description: 'The whole input of the tool, as it is.' },
        },
        required: [input],
        additionalProperties: false,
      },
    },
    ...(cache == null ? {} : { cache_control: cache }),
  }
}

/** Whether the tool's text must follow a grammar. */
export function hasGrammar({ custom }: Tool): boolean {
  return custom?.format?.['type'] === 'grammar'
}

function grammarOf(format: Fields | null | undefined): string {
  const grammar = format?.['grammar']
  if (!isObject(grammar)) return ''
  return `The input must keep to this grammar (${textOf(grammar['syntax'])}):\n${textOf(grammar['definition'])}`
}

export function customCallAsFunction(call: ToolCall, name: string): ToolCall {
  const { custom, ...rest } = call
  return {
    ...rest,
    type: 'function',
    function: { name, arguments: formatJson({ [input]: custom?.input ?? '' }) },
  }
}

/** The text in the arguments of such a function. Arguments in another form are used as the text. */
export function customInput(text: string): string {
  if (isTooMuch(text)) return text
  try {
    const given = parseJson(text)
    const value = isObject(given) ? given[input] : given
    return typeof value === 'string' ? value : text
  } catch {
    return text
  }
}
