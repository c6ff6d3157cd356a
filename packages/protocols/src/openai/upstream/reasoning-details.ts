import {
  type Fields,
  isObject,
  listOf,
  objectOf,
  type ThinkingBlock,
  textOf,
} from '@sluice/contract'
import { carry, restore } from '../../carried-reasoning.ts'

/**
 * OpenRouter's `reasoning_details` (https://openrouter.ai/docs/use-cases/reasoning-tokens): a list that the provider behind it
 * requires back, unchanged, with the message. It is carried as one block whose content only this file reads.
 */
const kind = 'reasoning_details'

export function detailsBlock(details: readonly unknown[]): ThinkingBlock[] {
  if (details.length === 0) return []
  return [{ type: 'reasoning', id: kind, summary: [], encrypted_content: carry({ kind, details }) }]
}

export function detailsOf(message: Fields): readonly Fields[] {
  return listOf(message['reasoning_details']).filter(isObject)
}

/** The details that came with a message, in order. */
export function returnedDetails(
  blocks: readonly ThinkingBlock[] | null | undefined,
): readonly unknown[] {
  return (blocks ?? []).flatMap(({ id, encrypted_content: encrypted }) =>
    id === kind ? listOf(objectOf(restore(encrypted ?? ''))['details']) : [],
  )
}

/** Adds a streamed piece. Texts come in pieces, with their signature last; encrypted details come complete. */
export function addDetail(details: Fields[], piece: Fields): void {
  const last = details.at(-1)
  if (!last || !isMore(piece, last)) {
    details.push(piece)
    return
  }
  const joined = ['text', 'summary'].flatMap((name) =>
    name in piece || name in last ? [[name, textOf(last[name]) + textOf(piece[name])]] : [],
  )
  const given = Object.entries(piece).filter(([, value]) => value != null)
  details[details.length - 1] = { ...last, ...Object.fromEntries([...given, ...joined]) }
}

function isMore({ type, index }: Fields, last: Fields): boolean {
  return type === last['type'] && index === last['index'] && type !== 'reasoning.encrypted'
}
