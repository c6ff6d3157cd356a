import { type Fields, isObject, listOf, objectOf } from '@sluice/contract'

// What a model may do with a computer (OpenAI API, ComputerAction).

const number = { type: 'number' }
const keys = { type: 'array', items: { type: 'string' } }

/** One action, as a schema without variants, which every target accepts. */
export const actionSchema = {
  type: 'object',
  properties: {
    type: {
      type: 'string',
      enum: [
        'click',
        'double_click',
        'drag',
        'keypress',
        'move',
        'screenshot',
        'scroll',
        'type',
        'wait',
      ],
    },
    x: { ...number, description: 'For click, double_click, move and scroll: from the left edge.' },
    y: { ...number, description: 'For the same: from the top edge.' },
    button: {
      type: 'string',
      enum: ['left', 'right', 'wheel', 'back', 'forward'],
      description: 'For click. Default: left.',
    },
    scroll_x: { ...number, description: 'For scroll: how far to the right, in pixels.' },
    scroll_y: { ...number, description: 'For scroll: how far down, in pixels.' },
    path: {
      type: 'array',
      items: { type: 'object', properties: { x: number, y: number }, required: ['x', 'y'] },
      description: 'For drag: the points on the way.',
    },
    text: { type: 'string', description: 'For type: the text.' },
    keys: {
      ...keys,
      description:
        'For keypress: the keys. For actions of the mouse: keys that are held meanwhile.',
    },
  },
  required: ['type'],
}

const isNumber = (value: unknown) => typeof value === 'number'
const isText = (value: unknown) => typeof value === 'string'
const isTexts = (value: unknown) => Array.isArray(value) && value.every(isText)
const isPath = (value: unknown) =>
  Array.isArray(value) && value.every((point) => isNumber(objectOf(point)['x']))

interface Shape {
  /** The fields without which it cannot be done. */
  readonly needs: Readonly<Record<string, (value: unknown) => boolean>>
  /** The fields that it always has. */
  readonly usual?: Fields
}

const place = { x: isNumber, y: isNumber }

const shapes: Readonly<Record<string, Shape>> = {
  click: { needs: place, usual: { button: 'left' } },
  double_click: { needs: place, usual: { keys: null } },
  drag: { needs: { path: isPath } },
  keypress: { needs: { keys: isTexts } },
  move: { needs: place },
  screenshot: { needs: {} },
  scroll: { needs: place, usual: { scroll_x: 0, scroll_y: 0 } },
  type: { needs: { text: isText } },
  wait: { needs: {} },
}

/**
 * The actions in the arguments of a call. One that cannot be done as the model wrote it is left out; a screenshot, which changes
 * nothing, takes the place of none.
 */
export function actionsIn(input: Fields): readonly Fields[] {
  const { actions, action } = input
  const given = Array.isArray(actions) ? listOf(actions) : [actions ?? action ?? input]
  const found = given.filter(isObject).filter(canBeDone).map(withUsual)
  return found.length === 0 ? [{ type: 'screenshot' }] : found
}

function shapeOf({ type }: Fields): Shape | undefined {
  return typeof type === 'string' && Object.hasOwn(shapes, type) ? shapes[type] : undefined
}

function canBeDone(action: Fields): boolean {
  const { needs } = shapeOf(action) ?? {}
  if (needs === undefined) return false
  return Object.entries(needs).every(([field, isFit]) => isFit(action[field]))
}

function withUsual(action: Fields): Fields {
  return { ...shapeOf(action)?.usual, ...action }
}
