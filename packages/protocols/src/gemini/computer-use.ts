import { type Fields, isObject, listOf, objectOf, someText } from '@sluice/contract'
import { usesFirstComputer } from '../families/gemini.ts'
import { pick } from './spelling.ts'

// Google's computer use (https://ai.google.dev/gemini-api/docs/generate-content/computer-use): Gemini calls predefined functions,
// which the caller runs. For any other model each is a function with the documented arguments. Their calls need no change,
// because Gemini's are function calls too.

/** A predefined function. All of its arguments but those in `optional` are required. */
interface Action {
  readonly description: string
  readonly properties: Readonly<Record<string, unknown>>
  readonly optional?: readonly string[]
}

const text = (description: string) => ({ type: 'string', description })
const place = (description: string) => ({ type: 'integer', minimum: 0, maximum: 999, description })
const flag = (description: string) => ({ type: 'boolean', description })
const across = 'from the left edge of the screen (0) to the right (999)'
const down = 'from the top edge of the screen (0) to the bottom (999)'
const at = { y: place(`The place, ${down}.`), x: place(`The place, ${across}.`) }
const direction = { type: 'string', enum: ['up', 'down', 'left', 'right'] }

const intent = text('Why this is the next step.')

function action(description: string, properties: Action['properties'] = {}): Action {
  return { description, properties: { ...properties, intent } }
}

const seconds = { type: 'integer', description: 'How long, in seconds.' }
const key = text('The key, such as Enter.')

const onAll = {
  click: action('Click.', at),
  type: {
    ...action('Type a text.', {
      text: text('The text.'),
      press_enter: flag('Whether to press Enter afterwards. Default: false.'),
    }),
    optional: ['press_enter'],
  },
  drag_and_drop: action('Drag from the start to the end.', {
    start_y: place(`The start, ${down}.`),
    start_x: place(`The start, ${across}.`),
    end_y: place(`The end, ${down}.`),
    end_x: place(`The end, ${across}.`),
  }),
  wait: { ...action('Wait.', { seconds }), optional: ['seconds'] },
  press_key: action('Press and release a key.', { key }),
  take_screenshot: action('Take a screenshot of the screen.'),
}

const onDesktop = {
  ...onAll,
  double_click: action('Click twice.', at),
  triple_click: action('Click three times.', at),
  middle_click: action('Click with the middle button.', at),
  right_click: action('Click with the right button.', at),
  mouse_down: action('Press the mouse button and hold it.', at),
  mouse_up: action('Release the mouse button.', at),
  move: action('Move the pointer.', at),
  key_down: action('Press a key and hold it.', { key }),
  key_up: action('Release a key.', { key }),
  hotkey: action('Press keys together.', {
    keys: { type: 'array', items: { type: 'string' }, description: 'Such as ["Control", "C"].' },
  }),
  scroll: {
    ...action('Scroll at a place.', {
      ...at,
      direction,
      magnitude_in_pixels: place('How far. Default: 300.'),
    }),
    optional: ['magnitude_in_pixels'],
  },
}

const back = action('Go back to the page or screen before.')

const environments: Readonly<Record<string, Readonly<Record<string, Action>>>> = {
  ENVIRONMENT_DESKTOP: onDesktop,
  ENVIRONMENT_BROWSER: {
    ...onDesktop,
    go_back: back,
    go_forward: action('Go to the next page of the history.'),
    navigate: action('Go to an address.', { url: text('The URL.') }),
  },
  ENVIRONMENT_MOBILE: {
    ...onAll,
    go_back: back,
    open_app: action('Open an app.', { app_name: text('The name of the app.') }),
    list_apps: action('List the apps of the device.'),
    long_press: { ...action('Press for long.', { ...at, seconds }), optional: ['seconds'] },
  },
}

/** The browser of the first models, whose functions have other names. */
const firstBrowser: Readonly<Record<string, Action>> = {
  open_web_browser: { description: 'Open the browser.', properties: {} },
  wait_5_seconds: { description: 'Wait for five seconds.', properties: {} },
  go_back: { description: 'Go to the page before.', properties: {} },
  go_forward: { description: 'Go to the next page of the history.', properties: {} },
  search: { description: 'Go to the start page of a search engine.', properties: {} },
  navigate: { description: 'Go to an address.', properties: { url: text('The URL.') } },
  click_at: { description: 'Click.', properties: at },
  hover_at: { description: 'Move the pointer.', properties: at },
  type_text_at: {
    description: 'Click on a field and type a text into it.',
    properties: {
      ...at,
      text: text('The text.'),
      press_enter: flag('Whether to press Enter afterwards. Default: true.'),
      clear_before_typing: flag('Whether to empty the field before. Default: true.'),
    },
    optional: ['press_enter', 'clear_before_typing'],
  },
  key_combination: {
    description: 'Press a key, or keys together.',
    properties: { keys: text('The keys, joined with +, such as Enter or Control+C.') },
  },
  scroll_document: { description: 'Scroll the page.', properties: { direction } },
  scroll_at: {
    description: 'Scroll at a place.',
    properties: { ...at, direction, magnitude: place('How far. Default: 800.') },
    optional: ['magnitude'],
  },
  drag_and_drop: {
    description: 'Drag from a place to the destination.',
    properties: {
      ...at,
      destination_y: place(`The destination, ${down}.`),
      destination_x: place(`The destination, ${across}.`),
    },
  },
}

const browser = 'ENVIRONMENT_BROWSER'

/** Whether a tool of Gemini's is its computer use. */
export function isComputerUse(tool: Fields): boolean {
  return isObject(pick(tool, 'computerUse'))
}

/**
 * The predefined functions of computer use in the form of chat, except those that the caller has excluded; none for any other tool,
 * or an environment that is unknown here. `model` is what the caller calls the model: its clients run the functions that this
 * model would call.
 */
export function computerFunctions(tool: Fields, model: string): readonly Fields[] {
  const use = pick(tool, 'computerUse')
  if (!isObject(use)) return []
  const given = someText(use['environment']) ?? browser
  const environment = given === 'ENVIRONMENT_UNSPECIFIED' ? browser : given
  const isFirst = environment === browser && usesFirstComputer(model)
  const actions = isFirst ? firstBrowser : (environments[environment] ?? {})
  const excluded = new Set(listOf(pick(use, 'excludedPredefinedFunctions')))
  return Object.entries(actions)
    .filter(([name]) => !excluded.has(name))
    .map(([name, { description, properties, optional = [] }]) => {
      const required = Object.keys(properties).filter((one) => !optional.includes(one))
      return { name, description, parameters: { type: 'object', properties, required } }
    })
}

/** The field of computer use that functions cannot tell: only Google looks for instructions in screenshots. */
export function untoldProtection(tool: Fields): string | undefined {
  const name = 'enablePromptInjectionDetection'
  return pick(objectOf(pick(tool, 'computerUse')), name) === true ? name : undefined
}
