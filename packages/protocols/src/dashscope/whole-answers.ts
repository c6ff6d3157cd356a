import type { Fields } from '@sluice/contract'
import type { Change, NativeTarget, Reports } from '../native-target.ts'
import { overBody } from '../openai/upstream/quirks.ts'
import type { Codec, Native, Quirk } from '../protocol.ts'

/**
 * The open models of Qwen 3 that think unless they are told not to. They do it only in a stream: "parameter.enable_thinking must be
 * set to false for non-streaming calls" (Model Studio, deep thinking).
 */
const thinkInStreams = /^qwen3-\d+(?:\.\d+)?b(?:-a\d+b)?$/i

const amounts = ['enable_thinking', 'thinking_budget', 'reasoning_effort'] as const

/** Switches their thinking off for an answer that is not streamed. */
export const wholeWithoutThinking: Quirk = overBody(['chat'], (body) => {
  if (!isHeld(body, String(body['model']))) return body
  const { thinking_budget: _, reasoning_effort: __, ...rest } = body
  return { ...rest, enable_thinking: false }
})

function isHeld(request: Fields, model: string): boolean {
  return request['stream'] !== true && thinkInStreams.test(model)
}

function reportThinking(
  request: Fields,
  model: string,
  { leftOut }: Pick<Reports, 'leftOut'>,
): void {
  if (!isHeld(request, model)) return
  for (const name of amounts) {
    const value = request[name]
    const isOff = value == null || value === false || value === 0 || value === 'none'
    if (!isOff) leftOut(name, 'this model thinks only in a stream')
  }
}

/** Names the thinking that is asked of them in vain. */
export function toldOfStreams(codec: Codec<'chat'>): Codec<'chat'> {
  return {
    ...codec,
    encode(request, context) {
      reportThinking(request, context.model, context)
      return codec.encode(request, context)
    },
  }
}

/** The same for requests that are passed on. */
export function nativeToldOfStreams(native: Native): Native {
  return {
    ...native,
    adapted(request, found, target: NativeTarget): readonly Change[] {
      // Only an object is ever passed on.
      reportThinking(request as Fields, target.model, target)
      return native.adapted?.(request, found, target) ?? []
    },
  }
}
