import { createCheck } from '../schema/check.ts'
import {
  asSchema,
  isRecord,
  type JsonSchema,
  merged,
  propertiesOf,
  requiredOf,
  resolveReferences,
  typesOf,
} from '../schema/json-schema.ts'
import { spelledOut } from '../text/json-facts.ts'
import type { EngineTool } from '../tools/tool.ts'

/** What a tool can do with files, told by its name and its parameters, whatever they are called. */
export type FileRole = 'read' | 'edit' | 'patch' | 'write' | 'shell'

/** A value for each of the parameters that files are worked on with, by what they mean. */
export interface FileValues {
  readonly path?: string
  readonly old?: string
  readonly fresh?: string
  readonly content?: string
  readonly command?: string
  /** How often the old text is to be replaced; default once. */
  readonly count?: number
  /** What is done, for parameters that want it said. */
  readonly purpose: string
}

const wordsIn = (name: string): string[] =>
  spelledOut(name)
    .toLowerCase()
    .split(/[^a-z]+/)

const bareName = (name: string): string => name.toLowerCase().replace(/[^a-z]/g, '')

type Meaning = 'path' | 'old' | 'fresh' | 'content' | 'command'

const meanings: Readonly<Record<Meaning, RegExp>> = {
  path: /^(?:absolute|relative|target|full|source|input)?(?:workspace)?(?:file)?paths?$|^(?:target)?files?$|^(?:target)?filenames?$/,
  old: /^(?:old|search|find|original|from)(?:string|str|text|content|code|value)?$/,
  fresh: /^(?:new|replace|replacement|to)(?:string|str|text|content|code|value|with)?$/,
  content: /^(?:file)?(?:contents?|text|body|data|code)(?:edit)?$/,
  command: /^(?:command|commands|cmd|commandline|script|shellcommand)$/,
}
const purposes = /descri|explan|reason|instruct|intent|summary|purpose|justif|thought/i

interface Parameter {
  readonly name: string
  readonly schema: Readonly<Record<string, unknown>>
  readonly isRequired: boolean
}

function parametersOf(schema: JsonSchema, root: JsonSchema): readonly Parameter[] {
  const resolved = resolveReferences(schema, root)
  if (!isRecord(resolved)) return []
  const own = merged(resolved, root)
  const required = new Set(requiredOf(own))
  return propertiesOf(own).map(([name, raw]) => {
    const inner = resolveReferences(raw, root)
    return {
      name,
      schema: isRecord(inner) ? merged(inner, root) : {},
      isRequired: required.has(name),
    }
  })
}

const shellWords = ['shell', 'bash', 'sh', 'exec', 'execute', 'run', 'command', 'commands', 'cmd']
const readWords = ['read', 'view', 'open', 'cat', 'get', 'load', 'show', 'fetch', 'display']
const notReading =
  /\b(?:dir|directory|folder|list|tree|image|media|notebook|url|web|page|output|process|background|terminal|mailbox|binary|write|edit|create|delete|move|search|many|multiple|background|resource|info|symbols?|lints?|diagnostics)\b/

/** The roles of a tool that files can be worked on with; empty for any other. */
export function rolesOf(tool: EngineTool): readonly FileRole[] {
  const words = wordsIn(tool.name)
  const isPatch = words.includes('patch') && /\bapply\b|\bpatch\b/.test(words.join(' '))
  if (tool.kind === 'custom') return isPatch ? ['patch'] : []
  const parameters = parametersOf(tool.parameters, tool.parameters)
  const has = (meaning: Meaning): boolean =>
    parameters.some(({ name }) => meanings[meaning].test(bareName(name)))
  const choices = actionsOf(parameters)
  if (choices.length > 0 && has('path'))
    return [
      ...(choices.includes('view') ? (['read'] as const) : []),
      ...(choices.includes('str_replace') ? (['edit'] as const) : []),
      ...(choices.includes('create') ? (['write'] as const) : []),
    ]
  if (isPatch && parameters.filter(({ isRequired }) => isRequired).length === 1) return ['patch']
  if (has('command') && choices.length === 0 && words.some((word) => shellWords.includes(word)))
    return ['shell']
  const lists = parameters.some(
    ({ name, schema }) =>
      /^edits?|replacements$/.test(bareName(name)) && pairOf(schema) !== undefined,
  )
  const required = parameters.filter(({ isRequired }) => isRequired)
  const isReading =
    words.some((word) => readWords.includes(word)) && !notReading.test(words.join(' '))
  if (!has('path')) {
    // A file reader whose one text is called in a way of its own.
    const isOnly = required.length === 1 && typesOf(required[0]?.schema ?? {})[0] === 'string'
    return isReading && isOnly && words.some((word) => /^files?$/.test(word)) ? ['read'] : []
  }
  if ((has('old') && has('fresh')) || lists) return ['edit']
  if (has('content'))
    return words.some((word) => /^(?:write|create|save|put)$/.test(word)) ? ['write'] : []
  return isReading ? ['read'] : []
}

/** The actions of a tool that has several, as text editors do. */
function actionsOf(parameters: readonly Parameter[]): readonly string[] {
  const action = parameters.find(({ name }) =>
    /^(?:command|action|operation)$/.test(bareName(name)),
  )
  const values = action?.schema['enum']
  return Array.isArray(values) ? values.filter((value) => typeof value === 'string') : []
}

const actions: Readonly<Record<FileRole, string>> = {
  read: 'view',
  edit: 'str_replace',
  write: 'create',
  patch: '',
  shell: '',
}

/** The item schema of a list of replacements. */
function pairOf(schema: Readonly<Record<string, unknown>>): JsonSchema | undefined {
  const items = asSchema(schema['items'])
  const names = isRecord(items) ? propertiesOf(items).map(([name]) => bareName(name)) : []
  return names.some((name) => meanings.old.test(name)) &&
    names.some((name) => meanings.fresh.test(name))
    ? items
    : undefined
}

/** The JSON text of a call's arguments; undefined where the tool asks for more than the values hold. */
export function fileArguments(
  tool: EngineTool,
  role: FileRole,
  values: FileValues,
): string | undefined {
  const made = objectOf(tool.parameters, tool.parameters, { role, values, isWhole: true })
  if (made === undefined || createCheck(tool.parameters)(made).length > 0) return undefined
  return JSON.stringify(made)
}

interface Filling {
  readonly role: FileRole
  readonly values: FileValues
  /** Whether what belongs to the task must all be placed here. */
  readonly isWhole: boolean
}

function objectOf(
  schema: JsonSchema,
  root: JsonSchema,
  filling: Filling,
): Record<string, unknown> | undefined {
  const parameters = parametersOf(schema, root)
  const entries: [string, unknown][] = []
  const required = parameters.filter(({ isRequired }) => isRequired)
  for (const parameter of parameters) {
    const isOnly = required.length === 1 && parameter.isRequired
    const value = valueOf(parameter, root, { ...filling, isWhole: isOnly })
    if (value !== undefined) entries.push([parameter.name, value])
    else if (parameter.isRequired) return undefined
  }
  return Object.fromEntries(entries)
}

const neededBy: Readonly<Record<FileRole, readonly Meaning[]>> = {
  read: ['path'],
  edit: ['path', 'old', 'fresh'],
  write: ['path', 'content', 'fresh'],
  patch: [],
  shell: ['command'],
}

const allNames = /^(?:replaceall|allowmultiple|global|all)$/
const countNames = /^(?:expectedreplacements|expectedcount|count)$/

/** Whether an edit tool can replace every occurrence at once. */
export function replacesAll(tool: EngineTool): boolean {
  return parametersOf(tool.parameters, tool.parameters).some(
    ({ name }) => allNames.test(bareName(name)) || countNames.test(bareName(name)),
  )
}

/** Whether a tool says that it takes absolute paths alone. */
export function wantsAbsolute(tool: EngineTool): boolean {
  const text = `${tool.description} ${JSON.stringify(tool.parameters)}`
  return /absolute/i.test(text) && !/relative or absolute|absolute or relative/i.test(text)
}

function valueOf(parameter: Parameter, root: JsonSchema, filling: Filling): unknown {
  const { name, schema, isRequired } = parameter
  const { role, values, isWhole } = filling
  const bare = bareName(name)
  const choices = schema['enum']
  if (Array.isArray(choices))
    return choices.includes(actions[role]) ? actions[role] : isRequired ? choices[0] : undefined
  const meaning = neededBy[role].find((key) => meanings[key].test(bare))
  const value =
    (meaning === undefined ? undefined : values[meaning]) ??
    (isWhole && role === 'read' ? values.path : undefined) ??
    (isWhole && role === 'patch' ? values.content : undefined)
  if (value !== undefined) return shaped(value, parameter, root, filling)
  const { count = 1 } = values
  if (role === 'edit' && count > 1 && allNames.test(bare)) return true
  if (role === 'edit' && (count > 1 || isRequired) && countNames.test(bare)) return count
  const pair = role === 'edit' ? pairOf(schema) : undefined
  if (pair !== undefined) {
    const made = objectOf(pair, root, filling)
    return made === undefined ? undefined : [made]
  }
  return isRequired ? beside(bare, schema, values.purpose) : undefined
}

/** A text, or a list of such texts or of objects that hold one. */
function shaped(
  value: string,
  { name, schema }: Parameter,
  root: JsonSchema,
  filling: Filling,
): unknown {
  const ways = [schema, ...[schema['anyOf'], schema['oneOf']].flat().filter(isRecord)]
  const list = ways.find((way) => typesOf(way).includes('array'))
  if (list === undefined || ways.some((way) => typesOf(way).includes('string'))) return value
  const items = resolveReferences(asSchema(list['items']), root)
  if (!isRecord(items) || !typesOf(items).includes('object'))
    // One command as a list of its words, or a list of commands.
    return filling.role === 'shell' && bareName(name) !== 'commands'
      ? ['bash', '-lc', value]
      : [value]
  const made = objectOf(items, root, filling)
  return made === undefined ? undefined : [made]
}

/** What a tool demands beside the file: a word of explanation, from where, how much. */
function beside(bare: string, schema: Readonly<Record<string, unknown>>, purpose: string): unknown {
  if ('default' in schema) return schema['default']
  const types = typesOf(schema)
  if (types.includes('null')) return null
  if (types.includes('boolean')) return /entire|whole|full/.test(bare)
  const [low, high] = [schema['minimum'], schema['maximum']]
  if (types.includes('integer') || types.includes('number')) {
    if (/end|last|limit|max|lines|timeout/.test(bare)) return Math.min(Number(high ?? 2000), 2000)
    return typeof low === 'number' ? low : /offset/.test(bare) ? 0 : 1
  }
  return types.includes('string') && purposes.test(bare) ? purpose : undefined
}
