import { type Fields, objectOf, textOf } from '@sluice/contract'

// Toolsets that Anthropic defined and the caller runs (Claude docs, computer use tool and browser use tool): one entry in the
// tools stands for several, whose calls name both the toolset and its member. In chat the name of the toolset is put before it.

/** One tool of a toolset. Most have a schema whose fields are all required. */
interface Member {
  readonly description: string
  readonly properties: Readonly<Record<string, unknown>>
  /** Default: all. */
  readonly required?: readonly string[]
  /** Whether it is offered only if the caller enables it. Default false. */
  readonly isOff?: boolean
}

const text = (description: string) => ({ type: 'string', description })
const number = (description: string) => ({ type: 'number', description })
const texts = { type: 'array', items: { type: 'string' } }
const directions = { type: 'string', enum: ['up', 'down', 'left', 'right'] }

function list(length: number, description: string): Fields {
  return {
    type: 'array',
    items: { type: 'integer' },
    minItems: length,
    maxItems: length,
    description,
  }
}

const coordinate = list(2, 'x and y, in pixels from the left edge and from the top edge.')
const region = list(4, 'The left, top, right and bottom edge, in pixels.')
const keys = text('The key, or keys joined with +, such as Return or ctrl+s.')
const held = text('Keys that are held meanwhile, such as ctrl+shift.')
const times = { type: 'integer', description: 'How often. Default: once.' }
const seconds = number('How long, in seconds.')

function click(what: string): Member {
  return {
    description: `${what} at the coordinate, or where the pointer is.`,
    properties: { coordinate, text: held },
    required: [],
  }
}

const computer: Readonly<Record<string, Member>> = {
  key: {
    description: 'Press keys.',
    properties: { text: keys, repeat: times },
    required: ['text'],
  },
  hold_key: { description: 'Hold keys down.', properties: { text: keys, duration: seconds } },
  type: { description: 'Type a text.', properties: { text: text('The text.') } },
  cursor_position: { description: 'Tell where the pointer is.', properties: {} },
  mouse_move: { description: 'Move the pointer.', properties: { coordinate } },
  left_mouse_down: { description: 'Press the left mouse button.', properties: {} },
  left_mouse_up: { description: 'Release the left mouse button.', properties: {} },
  left_click: click('Click'),
  left_click_drag: {
    description: 'Drag from the start to the coordinate.',
    properties: { start_coordinate: coordinate, coordinate, text: held },
    required: ['start_coordinate', 'coordinate'],
  },
  right_click: click('Click with the right button'),
  middle_click: click('Click with the middle button'),
  double_click: click('Click twice'),
  triple_click: click('Click three times'),
  scroll: {
    description: 'Scroll at the coordinate, or where the pointer is.',
    properties: {
      scroll_direction: directions,
      scroll_amount: number('Clicks of the wheel.'),
      coordinate,
      text: held,
    },
    required: ['scroll_direction', 'scroll_amount'],
  },
  wait: { description: 'Wait.', properties: { duration: seconds } },
  screenshot: { description: 'Take a screenshot of the screen.', properties: {} },
  zoom: { description: 'Show a region of the screen enlarged.', properties: { region } },
}

const tab = text('The tab. Default: the active one.')
const place = {
  type: 'object',
  properties: {
    type: { type: 'string', enum: ['coordinate'] },
    x: number('Pixels from the left edge of the viewport.'),
    y: number('Pixels from the top edge of the viewport.'),
  },
  required: ['type', 'x', 'y'],
}
const element = {
  type: 'object',
  properties: {
    type: { type: 'string', enum: ['ref'] },
    ref: text('A reference to an element that read_page or find returned, such as ref_7.'),
  },
  required: ['type', 'ref'],
}
const either = {
  type: 'object',
  description: 'Either a place (type coordinate, with x and y) or an element (type ref, with ref).',
  properties: {
    type: { type: 'string', enum: ['coordinate', 'ref'] },
    x: place.properties.x,
    y: place.properties.y,
    ref: element.properties.ref,
  },
  required: ['type'],
}

/** A member of the browser; every one but those for tabs may name its tab. */
function inTab(description: string, needed: Fields = {}, further: Fields = {}): Member {
  return {
    description,
    properties: { ...needed, ...further, tab_id: tab },
    required: Object.keys(needed),
  }
}

function clickIn(what: string): Member {
  return inTab(`${what} at a place or on an element.`, { target: either }, { modifiers: held })
}

const browser: Readonly<Record<string, Member>> = {
  navigate: inTab('Go to an address.', { url: text('The URL, or back, forward or reload.') }),
  list_tabs: { description: 'List the open tabs.', properties: {} },
  new_tab: { description: 'Open an empty tab.', properties: {} },
  switch_tab: {
    description: 'Make a tab the active one.',
    properties: { tab_id: text('The tab.') },
  },
  close_tab: { description: 'Close a tab.', properties: { tab_id: text('The tab.') } },
  read_page: inTab(
    'Read the page as a tree of elements with references.',
    {},
    {
      filter: { type: 'string', enum: ['all', 'interactive'] },
      depth: { type: 'integer', description: 'The depth of the tree. Default: 15.' },
      ref: text('The element to begin at.'),
    },
  ),
  get_page_text: inTab('Read the visible text of the page.'),
  find: inTab('Find elements.', { query: text('What they are, in words.') }),
  form_input: inTab('Set the value of a form element.', {
    target: element,
    value: { type: ['string', 'number', 'boolean'], description: 'A boolean for a checkbox.' },
  }),
  scroll_to: inTab('Scroll an element into view.', { target: element }),
  screenshot: inTab('Take a screenshot of the viewport.'),
  zoom: inTab('Show a region of the viewport enlarged.', { region }),
  left_click: clickIn('Click'),
  right_click: clickIn('Click with the right button'),
  middle_click: clickIn('Click with the middle button'),
  double_click: clickIn('Click twice'),
  triple_click: clickIn('Click three times'),
  hover: inTab('Move the pointer to a place or an element.', { target: either }),
  left_click_drag: inTab('Drag from a place to another.', { from: place, target: place }),
  left_mouse_down: inTab('Press the left mouse button.', { target: place }),
  left_mouse_up: inTab('Release the left mouse button.', { target: place }),
  mouse_move: inTab('Move the pointer.', { target: place }),
  scroll: inTab(
    'Scroll at a place.',
    { scroll_direction: directions, target: place },
    { scroll_amount: number('Notches of the wheel, 1 to 10. Default: 3.') },
  ),
  type: inTab('Type a text.', { text: text('The text.') }),
  key: inTab('Press keys.', { text: keys }, { repeat: times }),
  hold_key: inTab('Hold keys down, for at most 30 seconds.', { text: keys, duration: seconds }),
  wait: inTab('Wait, for at most 30 seconds.', { duration: seconds }),
  file_upload: {
    ...inTab(
      'Choose files for a file input.',
      { target: element },
      { paths: texts, document_ids: texts },
    ),
    isOff: true,
  },
  read_console: { ...inTab('Read what the console logged since the last time.'), isOff: true },
  read_network: { ...inTab('Read the requests made since the last time.'), isOff: true },
  javascript_exec: {
    ...inTab('Run JavaScript in the page.', {
      text: text('The code; its last expression is the result.'),
    }),
    isOff: true,
  },
}

/** By their names in calls. */
const toolsets: Readonly<Record<string, Readonly<Record<string, Member>>>> = { computer, browser }

/** The name in calls of the toolset with this type, such as `computer_toolset_20260801`; undefined for every other tool. */
export function toolsetName(type: unknown): string | undefined {
  const [, name] = /^([a-z]+)_toolset_\d{8}$/.exec(textOf(type)) ?? []
  return name !== undefined && Object.hasOwn(toolsets, name) ? name : undefined
}

/** The members that a toolset offers, as functions in the form of chat. */
export function memberFunctions({ type, configs }: Fields): readonly Fields[] {
  const name = toolsetName(type) ?? ''
  return Object.entries(toolsets[name] ?? {}).flatMap(([member, one]) => {
    const { description, properties, required = Object.keys(properties), isOff = false } = one
    const isOffered = objectOf(objectOf(configs)[member])['enabled'] ?? !isOff
    if (isOffered !== true) return []
    const parameters = { type: 'object', properties, required: [...required] }
    return [{ name: flatName({ name: member, toolset_name: name }), description, parameters }]
  })
}

/** What a call names: a tool, or a member of a toolset. */
export interface CalledTool {
  readonly name: string
  readonly toolset_name?: string
}

/** The name of the function that stands for the tool in chat. */
export function flatName({ name, toolset_name: toolset }: Fields): string {
  return typeof toolset === 'string' && toolset !== ''
    ? `${toolset}__${textOf(name)}`
    : textOf(name)
}

/** Finds what a function stands for, where these tools are offered. */
export function calledTools(tools: readonly Fields[]): (flat: string) => CalledTool {
  const offered = tools.flatMap(({ type }) => toolsetName(type) ?? [])
  if (offered.length === 0) return (name) => ({ name })
  return (flat) => {
    const toolset = offered.find((one) => flat.startsWith(`${one}__`))
    const name = toolset === undefined ? '' : flat.slice(toolset.length + 2)
    return toolset !== undefined && Object.hasOwn(toolsets[toolset] ?? {}, name)
      ? { name, toolset_name: toolset }
      : { name: flat }
  }
}
