import {
  type AnswerMessage,
  type ChoiceLogprobs,
  type Fields,
  type FinishReason,
  parseDataUrl,
  type ThinkingBlock,
  type ToolCall,
} from '@sluice/contract'
import { answeredArguments } from '../../call-arguments.ts'
import { callSignature } from '../../call-signature.ts'
import { geminiFinishReason } from '../finish-reasons.ts'
import type { Part } from '../generate-content.ts'
import { carryBlocks } from '../signatures.ts'

/** The end of a response. */
export interface ClosingParts {
  /** Empty texts with signatures of their own. They come before the text, or at least before its signature. */
  readonly earlier: readonly Part[]
  /** The signature for the text. */
  readonly textSignature: string | undefined
  readonly calls: readonly Part[]
  /** A call whose arguments are not a JSON object, which a functionCall cannot hold. */
  readonly malformed: ToolCall | undefined
}

/**
 * The calls as parts, and the placement of signatures. Reasoning of other providers is put into the signature of the first
 * call, or of the text if there is no call. Every further signature gets an empty text of its own, as in Gemini's own
 * responses.
 */
export function closingParts(
  calls: readonly ToolCall[],
  blocks: readonly ThinkingBlock[],
): ClosingParts {
  const own = blocks.flatMap(({ type, signature }) =>
    type === 'thought' && signature != null ? [signature] : [],
  )
  const foreign = blocks.filter(({ type }) => type !== 'thought')
  const made = calls.map(functionCallPart)
  const malformed = calls.find((_, index) => made[index] === undefined)
  const parts = made.filter((part) => part !== undefined)
  const carried = foreign.length === 0 ? undefined : carryBlocks(foreign)
  const [first, ...rest] = parts
  const onCall =
    first !== undefined && first.thoughtSignature === undefined && carried !== undefined
  const onText = onCall || carried === undefined ? own : [carried, ...own]
  return {
    earlier: onText.slice(0, -1).map((thoughtSignature) => ({ text: '', thoughtSignature })),
    textSignature: onText.at(-1),
    calls: onCall ? [{ ...first, thoughtSignature: carried }, ...rest] : parts,
    malformed,
  }
}

function functionCallPart(call: ToolCall): Part | undefined {
  const { id } = call
  const signature = callSignature(call)
  const signed = signature === undefined ? {} : { thoughtSignature: signature }
  if (call.function === undefined) {
    const { name = '', input = '' } = call.custom ?? {}
    return { functionCall: { id, name, args: { input } }, ...signed }
  }
  const args = answeredArguments(call.function.arguments)
  return args && { functionCall: { id, name: call.function.name, args }, ...signed }
}

/**
 * How a response ended. A call that could not be read has a finish reason of its own in Gemini's API, unless a limit or a
 * filter cut the response off.
 */
export function finishFields(
  reason: FinishReason,
  malformed: ToolCall | undefined,
): { readonly finishReason: string; readonly finishMessage?: string } {
  const finishReason = geminiFinishReason(reason)
  if (malformed === undefined) return { finishReason }
  const { name = '', arguments: text = '' } = malformed.function ?? {}
  return {
    finishReason: finishReason === 'STOP' ? 'MALFORMED_FUNCTION_CALL' : finishReason,
    finishMessage: `Malformed function call: ${name}(${text})`,
  }
}

/** Images as parts. An image given by its address cannot be inline. */
export function imageParts(images: AnswerMessage['images']): readonly Part[] {
  return (images ?? []).map(({ image_url: { url } }) => {
    const data = parseDataUrl(url)
    return data === undefined
      ? { fileData: { fileUri: url } }
      : { inlineData: { mimeType: data.contentType, data: data.base64 } }
  })
}

/** Audio in the form of Gemini's speech models. The request asked for 16-bit samples. */
export function soundPart(base64: string): Part {
  return { inlineData: { mimeType: 'audio/L16;codec=pcm;rate=24000', data: base64 } }
}

/** https://ai.google.dev/api/generate-content#LogprobsResult; undefined if there are no logprobs. */
export function logprobsResult(logprobs: ChoiceLogprobs | null | undefined): Fields | undefined {
  const tokens = logprobs?.content
  if (tokens == null || tokens.length === 0) return undefined
  const one = (each: { readonly token: string; readonly logprob: number }) => ({
    token: each.token,
    logProbability: each.logprob,
  })
  return {
    topCandidates: tokens.map(({ top_logprobs: tops }) => ({ candidates: (tops ?? []).map(one) })),
    chosenCandidates: tokens.map(one),
  }
}
