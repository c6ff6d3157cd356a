import {
  type Fields,
  formatJson,
  isObject,
  listOf,
  objectOf,
  someText,
  textOf,
} from '@sluice/contract'
import { answeredArguments } from '../../call-arguments.ts'
import { withoutNull } from '../../neutral-values.ts'
import { actionSchema, actionsIn } from './computer-actions.ts'
import type { InputItem, OutputItem } from './schema.ts'

// Tools that OpenAI defined and the caller runs (OpenAI API, tools of a response). OpenAI's models know their schemas; for any
// other model each is a function with the documented schema, and its calls have items of the tool's own.

/** What a model wrote for a call of such a tool: an object, empty if it wrote none, and the text itself. */
interface Written {
  readonly input: Fields
  readonly text: string
}

/** Such a tool as a function, and its calls and results as items. */
interface CallersTool {
  /** The type of the items with its calls; that of the results has `_output` behind it. */
  readonly call: string
  /** With what the ids of the calls' items begin. */
  readonly idPrefix: string
  readonly description: (tool: Fields) => string
  readonly parameters: Fields
  /** The fields of a call's item, in the nearest valid form. Nothing is run that the model did not clearly ask for. */
  readonly fields: (written: Written, tool: Fields) => Fields
  /** The arguments of an earlier call. */
  readonly input: (item: InputItem) => Fields
  /** What the model reads of a result. Default: its `output`. */
  readonly result?: (item: InputItem) => InputItem['output']
  /** Statuses of its calls that are called otherwise. */
  readonly statuses?: Readonly<Record<string, string>>
  /** The events that tell a streamed call in pieces, between the item's beginning and its end. */
  readonly pieces?: (item: Fields) => StreamedPieces
}

/** A call as its stream begins, and the events that follow. */
export interface StreamedPieces {
  readonly begun: Fields
  readonly events: readonly (readonly [type: string, fields: Fields])[]
}

const text = { type: 'string' }
/** Not empty: a call of such a tool that runs nothing is none. */
const someTexts = { type: 'array', items: text, minItems: 1 }

const shell: CallersTool = {
  call: 'shell_call',
  idPrefix: 'sh_',
  description: ({ environment }) =>
    ['Runs commands in a shell, one after another.', ...skillLines(environment)].join('\n'),
  parameters: {
    type: 'object',
    properties: {
      commands: { ...someTexts, description: 'The commands, in order.' },
      timeout_ms: { type: 'integer', description: 'How long they may take, in milliseconds.' },
      max_output_length: {
        type: 'integer',
        description: 'The most characters of output to return.',
      },
    },
    required: ['commands'],
  },
  fields: ({ input }, { environment }) => ({
    action: {
      commands: textsIn(input['commands'] ?? input['command']),
      timeout_ms: countOrNull(input['timeout_ms']),
      max_output_length: countOrNull(input['max_output_length']),
    },
    environment: isObject(environment) ? { type: 'local' } : null,
  }),
  input: ({ action }) => withoutNull({ ...action }),
  pieces({ action, ...item }) {
    const commands = textsIn(objectOf(action)['commands'])
    return {
      begun: { ...item, action: { ...objectOf(action), commands: [] } },
      events: commands.flatMap((command, at) => [
        ['response.shell_call_command.added', { command: '', command_index: at }],
        ['response.shell_call_command.delta', { delta: command, command_index: at }],
        ['response.shell_call_command.done', { command, command_index: at }],
      ]),
    }
  },
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  return listOf(value).filter((one) => typeof one === 'string')
}

function countOrNull(value: unknown): number | null {
  return typeof value === 'number' && Number.isInteger(value) ? value : null
}

/** What the caller's machine can do, which is in folders there. */
function skillLines(environment: unknown): readonly string[] {
  const skills = listOf(objectOf(environment)['skills']).map(objectOf)
  if (skills.length === 0) return []
  return [
    'Skills, each described in the file SKILL.md of its folder:',
    ...skills.map(
      (skill) =>
        `- ${textOf(skill['name'])} (${textOf(skill['path'])}): ${textOf(skill['description'])}`,
    ),
  ]
}

const localShell: CallersTool = {
  call: 'local_shell_call',
  idPrefix: 'lsh_',
  description: () => 'Runs a program on the user’s machine.',
  parameters: {
    type: 'object',
    properties: {
      command: {
        ...someTexts,
        description: 'The program and its arguments, such as ["ls", "-l"].',
      },
      working_directory: text,
      env: {
        type: 'object',
        additionalProperties: text,
        description: 'Further environment variables.',
      },
      user: { ...text, description: 'The user to run it as.' },
      timeout_ms: { type: 'integer', description: 'How long it may take, in milliseconds.' },
    },
    required: ['command'],
  },
  fields({ input }) {
    const { command, env, working_directory: folder, user, timeout_ms: timeout } = input
    const words = typeof command === 'string' ? ['bash', '-lc', command] : textsIn(command)
    const variables = Object.entries(objectOf(env)).filter(([, value]) => typeof value === 'string')
    return {
      action: {
        type: 'exec',
        command: words,
        env: Object.fromEntries(variables),
        // Unlike those of a shell, these are absent rather than null: clients validate them.
        ...withoutNull({
          timeout_ms: countOrNull(timeout),
          user: someText(user) ?? null,
          working_directory: someText(folder) ?? null,
        }),
      },
    }
  },
  input({ action }) {
    const { type: _, env, ...rest } = objectOf(action)
    const hasVariables = Object.keys(objectOf(env)).length > 0
    return withoutNull({ ...rest, env: hasVariables ? env : null })
  },
}

const operations = ['create_file', 'update_file', 'delete_file']

const applyPatch: CallersTool = {
  call: 'apply_patch_call',
  idPrefix: 'apc_',
  description: () =>
    [
      'Creates, updates or deletes one file.',
      'The diff for create_file is the whole file, each line with a + before it.',
      'The diff for update_file has one or more sections. Each begins with a line of @@, which a line of the file such as the',
      'head of a function may follow to say where it is. Then come the lines around the change with a space before them, the',
      'removed lines with a -, and the added lines with a +. There are no line numbers and no file names.',
    ].join('\n'),
  parameters: {
    type: 'object',
    properties: {
      type: { ...text, enum: operations },
      path: { ...text, description: 'The path of the file.' },
      diff: { ...text, description: 'For create_file and update_file.' },
    },
    required: ['type', 'path'],
  },
  fields({ input, text: whole }) {
    const given = isObject(input['operation']) ? input['operation'] : input
    const type = operations.find((one) => one === given['type'])
    const path = someText(given['path'])
    // Without a path it changes nothing, and the caller says so to the model.
    if (type === undefined || path === undefined)
      return { operation: { type: 'update_file', path: path ?? '', diff: whole } }
    if (type === 'delete_file') return { operation: { type, path } }
    return { operation: { type, path, diff: textOf(given['diff']) } }
  },
  input: ({ operation }) => ({ ...operation }),
  result: ({ status, output }) =>
    formatJson(withoutNull({ status: status ?? 'completed', output: output ?? null })),
  // Such a call is either complete or not.
  statuses: { incomplete: 'in_progress' },
  pieces({ operation, ...item }) {
    const { diff, ...rest } = objectOf(operation)
    if (typeof diff !== 'string') return { begun: { ...item, operation }, events: [] }
    return {
      begun: { ...item, operation: { ...rest, diff: '' } },
      events: [
        ['response.apply_patch_call_operation_diff.delta', { item_id: item['id'], delta: diff }],
        ['response.apply_patch_call_operation_diff.done', { item_id: item['id'], diff }],
      ],
    }
  },
}

const screenText = 'The image that follows shows the screen now.'

const computerCalls = {
  call: 'computer_call',
  idPrefix: 'cu_',
  result: ({ output }: InputItem): InputItem['output'] =>
    typeof output === 'string' || output == null || Array.isArray(output)
      ? output
      : [
          { type: 'input_text', text: screenText },
          { ...output, type: 'input_image' },
        ],
}

const computer: CallersTool = {
  ...computerCalls,
  description: () =>
    'Controls a computer with mouse and keyboard. The result is a screenshot after the last action; places are in its pixels.',
  parameters: {
    type: 'object',
    properties: {
      actions: {
        type: 'array',
        items: actionSchema,
        minItems: 1,
        description: 'What to do, in order.',
      },
    },
    required: ['actions'],
  },
  fields: ({ input }) => ({ actions: actionsIn(input), pending_safety_checks: [] }),
  input: ({ actions, action }) => ({ actions: actions ?? (action == null ? [] : [action]) }),
}

const computerPreview: CallersTool = {
  ...computerCalls,
  description: ({ display_width: width, display_height: height, environment }) =>
    [
      `Controls a computer (${textOf(environment) || 'browser'}) with mouse and keyboard.`,
      `Its screen has ${Number(width)} × ${Number(height)} pixels. The result is a screenshot after the action.`,
    ].join(' '),
  parameters: { type: 'object', properties: { action: actionSchema }, required: ['action'] },
  fields: ({ input }) => ({ action: actionsIn(input)[0], pending_safety_checks: [] }),
  input: ({ actions, action }) => ({ action: action ?? actions?.[0] ?? { type: 'screenshot' } }),
}

const callersTools = {
  shell,
  local_shell: localShell,
  apply_patch: applyPatch,
  computer,
  computer_use_preview: computerPreview,
} as const satisfies Readonly<Record<string, CallersTool>>

export type CallersToolType = keyof typeof callersTools

/** One or more of these tools. */
export type CallersToolTypes = readonly [CallersToolType, ...CallersToolType[]]

/** Whether OpenAI defined it for the caller to run. A shell in a container runs at OpenAI. */
export function isCallersTool(tool: Fields): tool is Fields & { readonly type: CallersToolType } {
  const { type, environment } = tool
  if (typeof type !== 'string' || !Object.hasOwn(callersTools, type)) return false
  return type !== 'shell' || (objectOf(environment)['type'] ?? 'local') === 'local'
}

/** The types of the items with calls of such tools, and the tools that may have made them. */
const byCall = new Map<string, CallersToolTypes>()
for (const [type, { call }] of Object.entries(callersTools))
  byCall.set(call, [...(byCall.get(call) ?? []), type] as unknown as CallersToolTypes)

/** The tools whose calls or results have items of this type; undefined for every other item. */
export function toolsOfCall(type: string): CallersToolTypes | undefined {
  return byCall.get(type.replace(/_output$/, ''))
}

/** The tools that a choice of this type means: both of the computers have older names. */
export function toolsOfChoice(type: unknown): readonly CallersToolType[] {
  if (typeof type !== 'string') return []
  if (type.startsWith('computer')) return toolsOfCall(computerCalls.call) ?? []
  return Object.hasOwn(callersTools, type) ? [type as CallersToolType] : []
}

/** The tool as a function, in the form of Responses. */
export function callersFunction(tool: Fields & { readonly type: CallersToolType }): Fields {
  const { description, parameters } = callersTools[tool.type]
  return { type: 'function', description: description(tool), parameters }
}

/** The arguments of an earlier call of the tool. */
export function callersInput(type: CallersToolType, item: InputItem): Fields {
  return callersTools[type].input(item)
}

/** What the model reads of a result of the tool. */
export function callersResult(type: CallersToolType, item: InputItem): InputItem['output'] {
  const { result }: CallersTool = callersTools[type]
  return result ? result(item) : item.output
}

/** The tool's own item for a call of the function that represents it. */
export function callersItem(
  { id, call_id: callId, status, arguments: written }: OutputItem,
  tool: Fields & { readonly type: CallersToolType },
): OutputItem {
  const { call, idPrefix, fields, statuses = {} }: CallersTool = callersTools[tool.type]
  const whole = textOf(written)
  const state = textOf(status) || 'completed'
  return {
    id: id.replace(/^fc_/, idPrefix),
    type: call,
    call_id: callId,
    status: statuses[state] ?? state,
    ...fields({ input: answeredArguments(whole) ?? {}, text: whole }, tool),
  }
}

/** A complete item as its stream tells it. */
export function streamedPieces(item: OutputItem): StreamedPieces {
  const [type] = toolsOfCall(item.type) ?? []
  const { pieces }: Partial<CallersTool> = type === undefined ? {} : callersTools[type]
  const begun = { ...item, status: 'in_progress' }
  return pieces?.(begun) ?? { begun, events: [] }
}
