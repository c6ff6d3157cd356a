import { expect } from 'vitest'

/** An item of a Responses request or response. */
export type Item = Readonly<Record<string, unknown>>

export interface Event {
  readonly type: string
  readonly output_index: number
  readonly item: Item
  readonly [field: string]: unknown
}

/** The events of a streamed response. */
export function eventsIn(wire: string): readonly Event[] {
  return [...wire.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => JSON.parse(data) as Event)
}

/** The items of a response. In a stream, each is added and done in order, and the last event repeats them. */
export function itemsIn(wire: string, stream: boolean): readonly Item[] {
  if (!stream) return (JSON.parse(wire) as { output: Item[] }).output
  const events = eventsIn(wire)
  const added = events.filter(({ type }) => type === 'response.output_item.added')
  expect(added.map(({ output_index: index }) => index)).toEqual([...added.keys()])
  const done = events.filter(({ type }) => type === 'response.output_item.done')
  const items = done.toSorted((a, b) => a.output_index - b.output_index).map(({ item }) => item)
  expect(added.map(({ item }) => [item['id'], item['type']])).toEqual(
    items.map(({ id, type }) => [id, type]),
  )
  expect((events.at(-1) as unknown as { response: { output: Item[] } }).response.output).toEqual(
    items,
  )
  return items
}
