import { type Fields, textOf } from '@sluice/contract'

/**
 * Adds a streamed piece to a message's `reasoning_details` (OpenRouter, reasoning tokens). Texts come in pieces, with their
 * signature last; encrypted details come complete.
 */
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
