import type { ThinkingBlock } from '@sluice/contract'

/**
 * Models may think again between their calls (Claude's interleaved thinking, the reasoning items of OpenAI's models), and
 * their providers require each thought back at its place. A chat message does not keep this order, so a block stores its
 * place.
 */
export function placed(
  block: ThinkingBlock,
  before: { readonly hasText: boolean; readonly calls: number },
): ThinkingBlock {
  const { place: _, ...unplaced } = block
  const place = before.calls > 0 ? 1 + before.calls : Number(before.hasText)
  return place === 0 ? unplaced : { ...unplaced, place }
}

/** Thoughts, text and calls in their original order. No thought comes last, because no provider accepts that. */
export function interleaved<T>(
  thoughts: readonly { readonly place?: number | undefined; readonly pieces: readonly T[] }[],
  text: readonly T[],
  calls: readonly (readonly T[])[],
): readonly T[] {
  const slots = [text, ...calls]
  const last = Math.max(
    0,
    slots.findLastIndex((slot) => slot.length > 0),
  )
  const bySlot = Map.groupBy(thoughts, ({ place = 0 }) => Math.min(place, last))
  return slots.flatMap((slot, index) => [
    ...(bySlot.get(index) ?? []).flatMap(({ pieces }) => pieces),
    ...slot,
  ])
}
