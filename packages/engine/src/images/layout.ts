import type { Size } from './picture.ts'
import type { Place, Scene, SceneObject, SceneText, Thing } from './scene.ts'

interface Box extends Size {
  readonly x: number
  readonly y: number
}

/** Things that belong together, and their arrangement. */
type Group =
  | { readonly kind: 'thing'; readonly thing: Thing }
  | { readonly kind: 'row' | 'column' | 'inside'; readonly groups: readonly Group[] }

const margin = 0.04

/** The share of the height that a text above or below the things takes. */
const textPart = 0.2

/**
 * Gives every thing its place in a canvas of this many pixels. Each group gets a box of its own, so nothing extends over the
 * edge, nor overlaps another thing or a text, unless it is inside of it or was placed where another thing is.
 */
export function layOut(
  { things, texts }: Pick<Scene, 'things' | 'texts'>,
  canvas: Size,
): readonly SceneObject[] {
  const unit = Math.min(canvas.width, canvas.height)
  const [above, below] = (['top', 'bottom'] as const).map((y) =>
    texts.some((text) => textPlace(text, things.length > 0).y === y) ? textPart * canvas.height : 0,
  )
  const inner = {
    x: margin * unit,
    y: margin * unit + (above ?? 0),
    width: canvas.width - 2 * margin * unit,
    height: canvas.height - 2 * margin * unit - (above ?? 0) - (below ?? 0),
  }
  const isPlaced = ({ place }: Thing): number => (place === undefined ? 0 : 1)
  const groups = Map.groupBy(
    things.toSorted((a, b) => isPlaced(a) - isPlaced(b)),
    ({ place }) => JSON.stringify(place),
  )
  const objects = [...groups.values()].flatMap((there) => {
    const place = there[0]?.place
    const box = place === undefined ? inner : ninthOf(inner, place)
    const kind = box.width >= box.height ? 'row' : 'column'
    return drawGroup({ kind, groups: relatedGroups(there) }, box)
  })
  return objects.map((object) => ({
    ...object,
    x: object.x / canvas.width,
    y: object.y / canvas.height,
    size: object.size / unit,
  }))
}

/** A text without a given place is in the middle if it is alone, otherwise below. */
export function textPlace({ place }: SceneText, isBesideThings: boolean): Place {
  return place ?? { x: 'center', y: isBesideThings ? 'bottom' : 'center' }
}

function ninthOf({ x, y, width, height }: Box, place: Place): Box {
  const column = { left: 0, center: 1, right: 2 }[place.x]
  const row = { top: 0, center: 1, bottom: 2 }[place.y]
  return {
    x: x + (column * width) / 3,
    y: y + (row * height) / 3,
    width: width / 3,
    height: height / 3,
  }
}

const directions = {
  above: 'column',
  below: 'column',
  left: 'row',
  right: 'row',
  inside: 'inside',
} as const

/** A thing with a relation forms a group with the one named after it. */
function relatedGroups(things: readonly Thing[]): readonly Group[] {
  const groups: Group[] = []
  for (const thing of things.toReversed()) {
    const { relation } = thing
    const own: Group = { kind: 'thing', thing }
    const next = relation === undefined ? undefined : groups.shift()
    if (relation === undefined || next === undefined) groups.unshift(own)
    else {
      const isFirst = relation === 'above' || relation === 'left'
      groups.unshift({ kind: directions[relation], groups: isFirst ? [own, next] : [next, own] })
    }
  }
  return groups
}

/** How much room a group needs beside others. */
function weightOf(group: Group): number {
  if (group.kind === 'thing') return Math.sqrt(group.thing.count)
  const weights = group.groups.map(weightOf)
  return group.kind === 'inside' ? Math.max(...weights) : weights.reduce((sum, one) => sum + one, 0)
}

function drawGroup(group: Group, box: Box): readonly SceneObject[] {
  if (group.kind === 'thing') return drawThing(group.thing, box)
  if (group.kind === 'inside')
    return group.groups.flatMap((one, index) => drawGroup(one, index === 0 ? box : middleOf(box)))
  const all = group.groups.reduce((sum, one) => sum + weightOf(one), 0)
  let before = 0
  return group.groups.flatMap((one) => {
    const share = weightOf(one) / all
    const part =
      group.kind === 'row'
        ? { ...box, x: box.x + before * box.width, width: share * box.width }
        : { ...box, y: box.y + before * box.height, height: share * box.height }
    before += share
    return drawGroup(one, part)
  })
}

function middleOf({ x, y, width, height }: Box): Box {
  const side = Math.min(width, height) * 0.45
  return { x: x + (width - side) / 2, y: y + (height - side) / 2, width: side, height: side }
}

/** Arranges the things in rows and columns with the largest cells that fit into a box. */
function drawThing(thing: Thing, { x, y, width, height }: Box): readonly SceneObject[] {
  const { count, shape, colors, isOutline, fill, motion } = thing
  let columns = 1
  let cell = 0
  for (let tried = 1; tried <= count; tried += 1) {
    const side = Math.min(width / tried, height / Math.ceil(count / tried))
    if (side > cell) [columns, cell] = [tried, side]
  }
  const rows = Math.ceil(count / columns)
  return Array.from({ length: count }, (_, index) => {
    const row = Math.floor(index / columns)
    const inRow = Math.min(columns, count - row * columns)
    return {
      shape,
      color: colors[index % colors.length] ?? [0, 0, 0],
      isOutline,
      x: x + width / 2 + ((index % columns) - (inRow - 1) / 2) * cell,
      y: y + height / 2 + (row - (rows - 1) / 2) * cell,
      size: cell * fill,
      rotation: 0,
      ...(motion === undefined ? {} : { motion }),
    }
  })
}
