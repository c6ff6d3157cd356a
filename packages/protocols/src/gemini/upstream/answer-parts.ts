import type { Message, ToolCall } from '@sluice/contract'
import { readArguments } from '../../call-arguments.ts'
import { callSignature } from '../../call-signature.ts'
import { demandsSignatures } from '../../families/gemini.ts'
import type { CodecContext } from '../../protocol.ts'
import type { Part } from '../generate-content.ts'

/**
 * Used instead of a signature if the history came from another model (Gemini API, thought signatures: transferring history).
 * Gemini 3 rejects the first call of a step without a signature.
 */
const signatureBypass = 'skip_thought_signature_validator'

/**
 * An assistant message of the history: text, then calls. Thoughts need not be sent back, but their signatures must be, each in
 * the part that it came with. Reasoning of other providers has no meaning here and is not sent.
 */
export function answerParts(
  message: Message,
  path: string,
  context: CodecContext,
): readonly Part[] {
  if (message.audio != null) context.unsupported(`${path}.audio`)
  const signatures = (message.thinking_blocks ?? []).flatMap((block) =>
    block.type === 'thought' && block.signature != null ? [block.signature] : [],
  )
  const last = signatures.at(-1)
  const text = textOf(message)
  return [
    ...signatures.slice(0, -1).map((thoughtSignature) => ({ text: '', thoughtSignature })),
    ...(text === '' && last === undefined
      ? []
      : [{ text, ...(last === undefined ? {} : { thoughtSignature: last }) }]),
    ...callParts(message, path, context),
  ]
}

/** For Gemini, text and refusal are the same. */
function textOf({ content, refusal }: Message): string {
  const parts = typeof content === 'string' ? [content] : (content ?? []).map(textOfPart)
  return parts.join('') || (refusal ?? '')
}

function textOfPart(part: { readonly text?: string; readonly refusal?: string }): string {
  return part.text ?? part.refusal ?? ''
}

function callParts(message: Message, path: string, { model }: CodecContext): readonly Part[] {
  const calls = message.tool_calls ?? []
  const parts = calls.map((call, index): Part => {
    const signature = callSignature(call)
    return {
      functionCall: functionCallOf(call, `${path}.tool_calls[${index}]`),
      ...(signature === undefined ? {} : { thoughtSignature: signature }),
    }
  })
  const [first, ...rest] = parts
  if (first === undefined) return []
  if (first.thoughtSignature !== undefined || !demandsSignatures(model)) return parts
  return [{ ...first, thoughtSignature: signatureBypass }, ...rest]
}

function functionCallOf(call: ToolCall, path: string): NonNullable<Part['functionCall']> {
  const { name = '', arguments: text = '' } = call.function ?? {}
  return { id: call.id, name, args: readArguments(text, `${path}.function.arguments`) }
}
