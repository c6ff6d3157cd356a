import type { Rgb } from './colors.ts'
import type { Place } from './edit-operations.ts'
import type { Random } from './random.ts'
import type { Ground, Motion, SceneObject } from './scene.ts'
import { type ShapeName, shapes } from './shapes.ts'

/** Things as a prompt asks for them, before they have places. */
export interface Wanted {
  readonly shape: ShapeName
  /** As the prompt calls it. */
  readonly word: string
  readonly count: number
  readonly color: Rgb
  readonly isOutline: boolean
  /** In the sky, or above what lies on the ground. */
  readonly isHigh: boolean
  /** Part of the shorter side; absent leaves it to the arrangement. */
  readonly size?: number
  readonly motion?: Motion
  readonly place?: Place
  /** Where it is, seen from the next thing that is named. */
  readonly relation?: 'above' | 'below' | 'left' | 'right' | 'inside' | 'beside'
}

interface Spot {
  readonly x: number
  readonly y: number
}

interface Surroundings {
  readonly grounds: readonly Ground[]
  readonly random: Random
}

/** Gives every wanted thing its place: said places and relations first, the rest side by side at their usual height. */
export function arrange(wanted: readonly Wanted[], around: Surroundings): readonly SceneObject[] {
  const total = wanted.reduce((sum, { count }) => sum + count, 0)
  const groups = wanted.map((thing) => groupOf(thing, total))
  const free = groups.filter(
    ({ thing }) => thing.place === undefined && thing.relation === undefined,
  )
  const spots = new Map<Wanted, Spot>()
  for (const isHigh of [true, false]) {
    const row = free.filter(({ thing }) => isHigh === isInSky(thing))
    for (const [thing, spot] of spotsInRow(row, around)) spots.set(thing, spot)
  }
  for (const thing of wanted) if (thing.place !== undefined) spots.set(thing, spotAt(thing.place))
  // From the last to the first, since a relation looks at what is named after it.
  for (const [index, thing] of [...wanted.entries()].toReversed()) {
    if (spots.has(thing)) continue
    const target = wanted[index + 1]
    spots.set(thing, spotBeside(thing, target === undefined ? undefined : spots.get(target)))
  }
  return groups
    .toSorted(
      (a, b) => Number(a.thing.relation === 'inside') - Number(b.thing.relation === 'inside'),
    )
    .flatMap((group) => spread(group, spots.get(group.thing) ?? { x: 0.5, y: 0.5 }, around.random))
}

interface Group {
  readonly thing: Wanted
  readonly size: number
  readonly columns: number
  /** From one centre to the next. */
  readonly gap: number
}

/** Several of a kind stand in rows; the more there is in the picture, the smaller each is. */
function groupOf(thing: Wanted, total: number): Group {
  const { count, relation } = thing
  const usual = Math.min(0.45, 0.62 / Math.sqrt(Math.max(1, total) + (total > 1 ? 0.6 : 0)))
  const inner = relation === 'inside' ? 0.5 : 1
  const size = (thing.size ?? usual * inner) * (count > 6 && thing.size !== undefined ? 0.6 : 1)
  const columns = Math.ceil(count <= 4 ? count : Math.sqrt(count * 1.6))
  const gap = Math.min(size * 1.15, 0.9 / columns)
  return { thing, size: columns > 1 ? Math.min(size, gap) : size, columns, gap }
}

function isInSky({ shape, isHigh }: Wanted): boolean {
  return isHigh || shapes[shape].home === 'sky'
}

function spotAt({ x, y }: Place): Spot {
  return {
    x: { left: 0.2, center: 0.5, right: 0.8 }[x],
    y: { top: 0.2, center: 0.5, bottom: 0.8 }[y],
  }
}

/** Side by side, each with the room it needs; a full row is drawn together. */
function spotsInRow(
  row: readonly Group[],
  around: Surroundings,
): readonly (readonly [Wanted, Spot])[] {
  const room = ({ size, columns, gap }: Group): number => size + (columns - 1) * gap
  const used = row.reduce((sum, group) => sum + room(group), 0)
  const pad = (1 - used) / (row.length + 1)
  let left = pad
  return row.map((group) => {
    const x = left + room(group) / 2
    left += room(group) + pad
    return [group.thing, { x, y: heightOf(group.thing, row.length, around) }]
  })
}

function heightOf(thing: Wanted, all: number, { grounds }: Surroundings): number {
  if (thing.isHigh) return 0.3
  const { home } = shapes[thing.shape]
  const horizon = grounds.find(({ kind }) => kind !== 'mountains')?.top ?? 0.68
  // One thing alone, without ground or sky around it, is the picture's subject.
  if (all === 1 && grounds.length === 0 && home !== 'sky') return 0.5
  return {
    sky: 0.22,
    ground: Math.min(0.85, horizon + 0.06),
    water: Math.min(0.85, horizon + 0.05),
    anywhere: 0.5,
  }[home]
}

const steps = {
  above: [0, -0.32],
  below: [0, 0.32],
  left: [-0.34, 0],
  right: [0.34, 0],
  inside: [0, 0],
  beside: [0.34, 0],
} as const

function spotBeside({ relation }: Wanted, target: Spot | undefined): Spot {
  const from = target ?? { x: 0.5, y: relation === 'above' ? 0.62 : 0.5 }
  const [dx, dy] = relation === undefined ? [0, 0] : steps[relation]
  // "Beside" is on the side where there is more room.
  const side = relation === 'beside' && from.x >= 0.5 ? -dx : dx
  return { x: clamp(from.x + side), y: clamp(from.y + dy) }
}

function clamp(value: number): number {
  return Math.min(0.9, Math.max(0.1, value))
}

function spread(
  { thing, size, columns, gap }: Group,
  spot: Spot,
  random: Random,
): readonly SceneObject[] {
  const { shape, color, count, isOutline, motion } = thing
  const rows = Math.ceil(count / columns)
  return Array.from({ length: count }, (_, index) => {
    const row = Math.floor(index / columns)
    const inRow = Math.min(columns, count - row * columns)
    const shake = count > 1 ? (random() - 0.5) * 0.03 : 0
    const x = spot.x + ((index % columns) - (inRow - 1) / 2) * gap + shake
    return {
      shape,
      color,
      isOutline,
      // A row that would leave the picture is spread over its width instead.
      x: x < 0.04 || x > 0.96 ? ((index % columns) + 0.5) / columns : x,
      y: Math.min(0.95, Math.max(0.05, spot.y + (row - (rows - 1) / 2) * gap + shake)),
      size,
      rotation: 0,
      opacity: 1,
      ...(motion === undefined ? {} : { motion }),
    }
  })
}
