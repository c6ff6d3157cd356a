import {
  type ChatChunk,
  type Fields,
  GatewayError,
  objectOf,
  type Step,
  textOf,
} from '@sluice/contract'
import { createChatChunks } from '@sluice/protocols/chat-chunks.ts'
import { CallArguments } from '@sluice/protocols/whole-calls.ts'
import {
  annotationOf,
  callBlock,
  finishReason,
  imageOf,
  isOurs,
  readCall,
  readUsage,
  thinkingBlock,
} from './chat-reply.ts'
import type { AiSdkContext } from './context.ts'
import { aiSdkError } from './errors.ts'

type Steps = readonly Step<ChatChunk>[]

/** Converts parts of a streamed generation to canonical steps. Throws if it was cut or failed. */
export async function* chatEvents(
  stream: ReadableStream<unknown>,
  context: AiSdkContext,
  warned: (warnings: unknown) => void,
): AsyncGenerator<Step<ChatChunk>> {
  const reader = createPartReader(context)
  const calls = new CallArguments()
  let finished = false
  try {
    for await (const value of stream) {
      const part = objectOf(value)
      if (part['type'] === 'stream-start') warned(part['warnings'])
      if (part['type'] === 'error') throw aiSdkError(part['error'])
      yield* calls.complete(reader(part))
      finished ||= part['type'] === 'finish'
    }
  } catch (thrown) {
    throw aiSdkError(thrown)
  }
  if (!finished)
    throw new GatewayError('upstream_cut', 'The provider’s response ended without a finish reason')
}

function createPartReader(context: AiSdkContext): (part: Fields) => Steps {
  const chunks = createChatChunks({ ...context, publicModel: context.model })
  const calls = createCalls()
  /** Reasoning received so far, by the id of its part. */
  const thoughts = new Map<string, string>()

  function thought(part: Fields): Steps {
    const id = textOf(part['id'])
    const delta = textOf(part['delta'])
    thoughts.set(id, (thoughts.get(id) ?? '') + delta)
    return delta === '' ? [] : chunks.delta({ reasoning_content: delta })
  }

  function finish(part: Fields): Steps {
    const usage = readUsage(part['usage'])
    return [
      ...chunks.finish(finishReason(part['finishReason'], calls.count() > 0)),
      ...(usage === undefined ? [] : [{ usage }]),
    ]
  }

  return (part) => {
    switch (part['type']) {
      case 'text-delta': {
        const content = textOf(part['delta'])
        return content === '' ? [] : chunks.delta({ content })
      }
      case 'reasoning-delta':
        return thought(part)
      case 'reasoning-end': {
        const text = thoughts.get(textOf(part['id'])) ?? ''
        const blocks = thinkingBlock(text, part['providerMetadata'])
        return blocks.length === 0 ? [] : chunks.delta({ thinking_blocks: [...blocks] })
      }
      case 'tool-input-start':
      case 'tool-input-delta':
      case 'tool-call':
        return [
          ...calls.read(part).flatMap((call) => chunks.delta({ tool_calls: [call] })),
          ...attached(part).flatMap((block) => chunks.delta({ thinking_blocks: [block] })),
        ]
      case 'file': {
        const images = imageOf(part)
        return images.length === 0 ? [] : chunks.delta({ images })
      }
      case 'source': {
        const annotations = annotationOf(part)
        return annotations.length === 0 ? [] : chunks.delta({ annotations: [...annotations] })
      }
      case 'finish':
        return finish(part)
      default:
        return []
    }
  }
}

function attached(part: Fields): ReturnType<typeof callBlock> {
  return part['type'] === 'tool-call' && isOurs(part) ? callBlock(part) : []
}

type CallDelta = NonNullable<ChatChunk['choices'][number]['delta']['tool_calls']>[number]

/** Calls arrive as pieces of input, as a whole call, or as both; the whole call then adds only what was missing. */
function createCalls() {
  const slots = new Map<string, { readonly slot: number; empty: boolean }>()

  function start(id: string, name: string): CallDelta {
    slots.set(id, { slot: slots.size, empty: true })
    return { index: slots.size - 1, id, type: 'function', function: { name, arguments: '' } }
  }

  function input(id: string, text: string): readonly CallDelta[] {
    const call = slots.get(id)
    if (call === undefined || text === '') return []
    call.empty = false
    return [{ index: call.slot, function: { arguments: text } }]
  }

  function whole(part: Fields): readonly CallDelta[] {
    if (!isOurs(part)) return []
    const { id, function: called } = readCall(part)
    const opening = slots.has(id) ? [] : [start(id, called?.name ?? '')]
    const { empty = true } = slots.get(id) ?? {}
    return [...opening, ...(empty ? input(id, called?.arguments ?? '{}') : [])]
  }

  return {
    count: () => slots.size,
    read(part: Fields): readonly CallDelta[] {
      const id = textOf(part['id'])
      if (part['type'] === 'tool-call') return whole(part)
      if (part['type'] === 'tool-input-delta') return input(id, textOf(part['delta']))
      return isOurs(part) ? [start(id, textOf(part['toolName']))] : []
    },
  }
}
