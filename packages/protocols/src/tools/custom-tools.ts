import {
  formatJson,
  isObject,
  objectOf,
  parseJson,
  type Tool,
  type ToolCall,
  textOf,
} from '@sluice/contract'
import { isTooMuch } from '../call-arguments.ts'

// Free-form tools, which most targets do not support, as functions with one string.

const input = 'input'

/** The tool as a function. A grammar for its text is written into the description, but nothing enforces it. */
export function customAsFunction({ custom, ...tool }: Tool, name: string): Tool {
  const { description, format, name: _, ...others } = objectOf(custom)
  const lines = [textOf(description), grammarOf(format)].filter((text) => text !== '')
  return {
    ...tool,
    type: 'function',
    function: {
      ...others,
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
  }
}

/** Whether the tool's text must have a form, such as that of a grammar. */
export function hasFormat({ custom }: Tool): boolean {
  const { type, ...others } = custom?.format ?? {}
  return Object.keys(others).length > 0 || (type !== undefined && type !== 'text')
}

function grammarOf(format: unknown): string {
  const { grammar } = objectOf(format)
  if (!isObject(grammar)) return ''
  return `The input must keep to this grammar (${textOf(grammar['syntax'])}):\n${textOf(grammar['definition'])}`
}

export function customCallAsFunction(call: ToolCall, name: string): ToolCall {
  const { custom, ...rest } = call
  const { name: _, input: given = '', ...others } = objectOf(custom)
  return {
    ...rest,
    type: 'function',
    function: { ...others, name, arguments: formatJson({ [input]: given }) },
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
