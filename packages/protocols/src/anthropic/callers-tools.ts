import { type Fields, someText, textOf } from '@sluice/contract'

// Tools that Anthropic defined and the caller runs (Claude docs, tool reference: client tools). Claude knows their schemas; for
// any other model each is a function with the documented schema. Calls then have the tool's own form without any change,
// because that form is a name and an input.

interface CallersTool {
  /** The name of its calls in a version. */
  readonly name: (version: string) => string
  readonly description: (tool: Fields) => string
  readonly parameters: (version: string, tool: Fields) => Fields
  /** Its fields, beside those of every tool, whose meaning is in the description or the schema. */
  readonly told: readonly string[]
}

const text = { type: 'string' }
const point = { type: 'array', items: { type: 'integer' }, minItems: 2, maxItems: 2 }

const path = { ...text, description: 'The absolute path of a file or directory.' }

const bash: CallersTool = {
  name: () => 'bash',
  description: () =>
    'Runs a command in a bash session. The session persists between calls: it keeps its directory, variables and files.',
  parameters: () => ({
    type: 'object',
    properties: {
      command: { ...text, description: 'The command. Required unless the session is restarted.' },
      restart: { type: 'boolean', description: 'Set to true to restart the session instead.' },
    },
  }),
  told: [],
}

/** The first version without `undo_edit`, whose `insert` has a field of its own. */
const editorWithoutUndo = '20250429'

const textEditor: CallersTool = {
  name: (version) =>
    version < editorWithoutUndo ? 'str_replace_editor' : 'str_replace_based_edit_tool',
  description: ({ max_characters: most }) =>
    'Views, creates and edits text files.' +
    (typeof most === 'number' ? ` At most ${most} characters of a file are shown.` : ''),
  parameters(version) {
    const hasUndo = version < editorWithoutUndo
    const inserted = hasUndo ? 'new_str' : 'insert_text'
    const commands = ['view', 'create', 'str_replace', 'insert', ...(hasUndo ? ['undo_edit'] : [])]
    return {
      type: 'object',
      properties: {
        command: { ...text, enum: commands },
        path,
        view_range: {
          ...point,
          description:
            'For view of a file: the first and the last line to show, from 1; -1 is the last.',
        },
        file_text: { ...text, description: 'For create: the content of the new file.' },
        old_str: {
          ...text,
          description: 'For str_replace: the text to replace. It must occur exactly once.',
        },
        new_str: { ...text, description: 'For str_replace: the text that replaces it.' },
        insert_line: {
          type: 'integer',
          description: `For insert: the line after which ${inserted} is inserted; 0 is the beginning.`,
        },
        ...(hasUndo
          ? {}
          : { insert_text: { ...text, description: 'For insert: the text to insert.' } }),
      },
      required: ['command', 'path'],
    }
  },
  told: ['max_characters'],
}

const memory: CallersTool = {
  name: () => 'memory',
  description: () =>
    'Reads and keeps notes in files below /memories, which persist between conversations. View the directory before a task, and note progress and what was learnt.',
  parameters: () => ({
    type: 'object',
    properties: {
      command: {
        ...text,
        enum: ['view', 'create', 'str_replace', 'insert', 'delete', 'rename'],
      },
      path: { ...text, description: 'A path below /memories, for every command but rename.' },
      view_range: { ...point, description: 'For view of a file: the first and the last line.' },
      file_text: { ...text, description: 'For create: the content of the file.' },
      old_str: { ...text, description: 'For str_replace: the text to replace.' },
      new_str: { ...text, description: 'For str_replace: the text that replaces it.' },
      insert_line: {
        type: 'integer',
        description: 'For insert: the line after which the text is inserted.',
      },
      insert_text: { ...text, description: 'For insert: the text to insert.' },
      old_path: { ...text, description: 'For rename: the path now.' },
      new_path: { ...text, description: 'For rename: the new path.' },
    },
    required: ['command'],
  }),
  told: [],
}

const firstActions = [
  'key',
  'type',
  'mouse_move',
  'left_click',
  'left_click_drag',
  'right_click',
  'middle_click',
  'double_click',
  'screenshot',
  'cursor_position',
]
const laterActions = [
  'triple_click',
  'left_mouse_down',
  'left_mouse_up',
  'scroll',
  'hold_key',
  'wait',
]

const computer: CallersTool = {
  name: () => 'computer',
  description: ({ display_width_px: width, display_height_px: height, display_number: display }) =>
    [
      'Controls a computer with mouse and keyboard, and takes screenshots of it.',
      `Its screen has ${Number(width)} × ${Number(height)} pixels.`,
      ...(typeof display === 'number' ? [`It is display ${display}.`] : []),
      'Take a screenshot first, and look at the result of each action with another one.',
    ].join(' '),
  parameters(version, { enable_zoom: zooms }) {
    const isFirst = version < '20250124'
    const actions = [
      ...firstActions,
      ...(isFirst ? [] : laterActions),
      ...(zooms === true ? ['zoom'] : []),
    ]
    return {
      type: 'object',
      properties: {
        action: { ...text, enum: actions },
        coordinate: {
          ...point,
          description:
            'Where to click, scroll, move or drag to: pixels from the left edge and from the top edge.',
        },
        text: {
          ...text,
          description:
            'For type: the text. For key and hold_key: the keys in the words of xdotool, such as Return or ctrl+s. For clicks and scroll: a key that is held meanwhile.',
        },
        ...(isFirst ? {} : laterFields),
        ...(zooms === true
          ? {
              region: {
                type: 'array',
                items: { type: 'integer' },
                minItems: 4,
                maxItems: 4,
                description: 'For zoom: the left, top, right and bottom edge of what is shown.',
              },
            }
          : {}),
      },
      required: ['action'],
    }
  },
  told: ['display_width_px', 'display_height_px', 'display_number', 'enable_zoom'],
}

const laterFields = {
  start_coordinate: { ...point, description: 'For left_click_drag: where it begins.' },
  scroll_direction: { ...text, enum: ['up', 'down', 'left', 'right'] },
  scroll_amount: { type: 'integer', description: 'For scroll: the number of clicks of the wheel.' },
  duration: { type: 'number', description: 'For hold_key and wait: how long, in seconds.' },
}

/** By the name in their types, which ends with the date of the version: `bash_20250124`. */
const callersTools: Readonly<Record<string, CallersTool>> = {
  bash,
  text_editor: textEditor,
  memory,
  computer,
}

function found(
  type: unknown,
): { readonly tool: CallersTool; readonly version: string } | undefined {
  const [, kind = '', version = ''] = /^([a-z_]+)_(\d{8})$/.exec(textOf(type)) ?? []
  const tool = Object.hasOwn(callersTools, kind) ? callersTools[kind] : undefined
  return tool && { tool, version }
}

/** Whether it is the type of a tool that Anthropic defined and the caller runs. */
export function isAnthropicsTool(type: unknown): boolean {
  return found(type) !== undefined
}

const usualFields: ReadonlySet<string> = new Set(['type', 'name', 'cache_control', 'configs'])

/** Such a tool as a function of chat; undefined for every other tool. */
export function callersFunction(given: Fields): Fields | undefined {
  const { type, name } = given
  const { tool, version } = found(type) ?? {}
  if (tool === undefined || version === undefined) return undefined
  return {
    name: someText(name) ?? tool.name(version),
    description: tool.description(given),
    parameters: { ...tool.parameters(version, given) },
  }
}

/** The fields of such a tool that its function does not tell. */
export function untoldFields(given: Fields): readonly string[] {
  const told = new Set([...usualFields, ...(found(given['type'])?.tool.told ?? [])])
  return Object.keys(given).filter((field) => given[field] != null && !told.has(field))
}
