import { type Fields, isObject } from '@sluice/contract'
import { readArguments } from '../../call-arguments.ts'
import { snakeCase } from '../letter-case.ts'

/**
 * Rewrites a request to the documented form: a single value becomes a list where Google accepts both, and a text becomes
 * contents where Google's client libraries accept one.
 */
export function respellContents(request: Fields): Fields {
  let result = request
  const change = (name: string, respelled: (value: unknown) => unknown): void => {
    result = changed(result, name, respelled)
  }
  change('contents', contentsOf)
  change('systemInstruction', instructionOf)
  change('tools', (tools) =>
    listed(tools).map((tool) => changed(tool, 'functionDeclarations', listed)),
  )
  change('generateContentRequest', (inner) => (isObject(inner) ? respellContents(inner) : inner))
  return result
}

/** The same for an embedding request: a bare text becomes a content. */
export function respellContent(request: Fields): Fields {
  return changed(request, 'content', instructionOf)
}

/** The same for each request of a batch. */
export function respellRequests(request: Fields): Fields {
  return changed(request, 'requests', (requests) =>
    listed(requests).map((each) => (isObject(each) ? respellContent(each) : each)),
  )
}

/** The fields with one of them changed; its name is recognized in either spelling. */
function changed<T>(fields: T, name: string, respelled: (value: unknown) => unknown): T {
  if (!isObject(fields)) return fields
  const found = [name, snakeCase(name)].find((key) => fields[key] != null)
  return found === undefined ? fields : { ...fields, [found]: respelled(fields[found]) }
}

function listed(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value]
}

/** Several texts, or parts without a content, become one user message. */
function contentsOf(contents: unknown): readonly unknown[] {
  const given = listed(contents)
  return given.every((each) => typeof each === 'string')
    ? [{ role: 'user', parts: given.map((text) => ({ text })) }]
    : given.map(contentOf)
}

function contentOf(content: unknown): unknown {
  if (typeof content === 'string') return { role: 'user', parts: [{ text: content }] }
  if (!isObject(content)) return content
  const { role, parts } = content
  return {
    ...content,
    ...(role === 'assistant' ? { role: 'model' } : {}),
    ...(parts == null ? {} : { parts: listed(parts).map(partOf) }),
  }
}

function instructionOf(instruction: unknown): unknown {
  return typeof instruction === 'string' || Array.isArray(instruction)
    ? { parts: listed(instruction).map(partOf) }
    : contentOf(instruction)
}

function partOf(part: unknown): unknown {
  if (typeof part === 'string') return { text: part }
  const answered = changed(part, 'functionResponse', (response) =>
    changed(response, 'response', (value) => (isObject(value) ? value : { result: value })),
  )
  return changed(answered, 'functionCall', (call) =>
    changed(call, 'args', (args) =>
      typeof args === 'string' ? readArguments(args, 'contents') : args,
    ),
  )
}
