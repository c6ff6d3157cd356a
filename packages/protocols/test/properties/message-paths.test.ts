import fc from 'fast-check'
import { expect, it } from 'vitest'
import { formatContext } from '../../../../test/support/codec-context.ts'
import { talk, writtenTalk } from '../../../../test/support/generated/conversation.ts'
import type { ChatRequest } from '../../../contract/src/operations/chat-request.ts'
import { validate } from '../../../contract/src/operations/validate.ts'
import { formats } from '../../src/formats.ts'
import '../../../../test/support/property-limits.ts'

/** Paths of a canonical request into its messages, and a text that stands there, too, where the caller wrote it. */
function pathsOf({ messages }: ChatRequest): readonly (readonly [string, string])[] {
  return messages.flatMap(({ content, tool_calls: calls }, index) => [
    ...(Array.isArray(content) ? content : []).flatMap((part, at): [string, string][] => {
      const path = `messages[${index}].content[${at}]`
      const { image_url: image, file } = part
      if (image) return [[`${path}.image_url.url`, base64In(image.url)]]
      return file ? [[`${path}.file.file_data`, base64In(file.file_data ?? '')]] : []
    }),
    ...(calls ?? []).map(({ function: called }, at): [string, string] => [
      `messages[${index}].tool_calls[${at}].function.name`,
      called?.name ?? '',
    ]),
  ])
}

function base64In(url: string): string {
  return url.slice(url.indexOf(',') + 1)
}

function valueAt(request: unknown, path: string): unknown {
  let value = request
  for (const name of path.match(/[^.[\]]+/g) ?? []) {
    if (typeof value !== 'object' || value === null) return undefined
    value = (value as Readonly<Record<string, unknown>>)[name]
  }
  return value
}

it.each(['generateContent', 'messages', 'responses'])(
  'property: %s: paths to images, files and calls map to where the caller wrote them',
  (id) => {
    const format = formats.find((one) => one.id === id)!
    fc.assert(
      fc.property(talk, (told) => {
        const written = validate(format.request, writtenTalk[id]!(told))
        const canonical = format.toCanonical(written, formatContext()) as ChatRequest
        for (const [path, text] of pathsOf(canonical)) {
          const own = format.paramOf!(path, written)
          expect(own).toMatch(/^\w+\[\d+\]/)
          expect(JSON.stringify(valueAt(written, own ?? ''))).toContain(
            JSON.stringify(text).slice(1, -1),
          )
        }
      }),
      { numRuns: 150 },
    )
  },
)
