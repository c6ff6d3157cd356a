import { createCheck } from '../schema/check.ts'
import {
  asSchema,
  isRecord,
  type JsonSchema,
  plainSchema,
  propertiesOf,
  requiredOf,
  type SchemaObject,
  typesOf,
} from '../schema/json-schema.ts'
import { spelledOut } from '../text/json-facts.ts'
import type { EngineTool } from '../tools/tool.ts'

/** What a tool can do with files, recognized by its name and its parameters. */
export type FileRole = 'read' | 'edit' | 'patch' | 'write' | 'shell'

/** Values for the parameters of file tools, by meaning. */
export interface FileValues {
  readonly path?: string
  readonly old?: string
  readonly fresh?: string
  readonly content?: string
  readonly command?: string
  /** What is done, for parameters that require an explanation. */
  readonly purpose: string
}

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
  /** The letters of the name, in lower case. */
  readonly bare: string
  readonly schema: SchemaObject
  readonly isRequired: boolean
}

function parametersOf(schema: JsonSchema, root: JsonSchema): readonly Parameter[] {
  const own = plainSchema(schema, root)
  const required = new Set(requiredOf(own))
  return propertiesOf(own).map(([name, raw]) => ({
    name,
    bare: name.toLowerCase().replace(/[^a-z]/g, ''),
    schema: plainSchema(raw, root),
    isRequired: required.has(name),
  }))
}

const shells = /\b(?:shell|bash|sh|exec|execute|run|commands?|cmd)\b/
const reading = /\b(?:read|view|open|cat|get|load|show|fetch|display)\b/
const notReading =
  /\b(?:dir|directory|folder|list|tree|image|media|notebook|url|web|page|output|process|background|terminal|mailbox|binary|write|edit|create|delete|move|search|many|multiple|background|resource|info|symbols?|lints?|diagnostics)\b/

/** The roles of a file tool; empty for any other tool. */
export function rolesOf(tool: EngineTool): readonly FileRole[] {
  const words = spelledOut(tool.name)
    .toLowerCase()
    .replace(/[^a-z]+/g, ' ')
  const isPatch = /\bpatch\b/.test(words)
  if (tool.kind === 'custom') return isPatch ? ['patch'] : []
  const parameters = parametersOf(tool.parameters, tool.parameters)
  const has = (meaning: Meaning): boolean =>
    parameters.some(({ bare }) => meanings[meaning].test(bare))
  // A text editor tool has several actions.
  const choices = parameters.find(({ bare }) => /^(?:command|action|operation)$/.test(bare))
    ?.schema['enum']
  if (Array.isArray(choices) && has('path'))
    return (['read', 'edit', 'write'] as const).filter((role) => choices.includes(actions[role]))
  const required = parameters.filter(({ isRequired }) => isRequired)
  if (isPatch && required.length === 1) return ['patch']
  if (has('command') && !Array.isArray(choices) && shells.test(words)) return ['shell']
  const isReading = reading.test(words) && !notReading.test(words)
  if (!has('path')) {
    // A file reader whose only text parameter has an unusual name.
    const isOnly = required.length === 1 && typesOf(required[0]?.schema ?? {})[0] === 'string'
    return isReading && isOnly && /\bfiles?\b/.test(words) ? ['read'] : []
  }
  const isList = parameters.some(
    ({ bare, schema }) => /^edits?|replacements$/.test(bare) && pairOf(schema) !== undefined,
  )
  if ((has('old') && has('fresh')) || isList) return ['edit']
  if (has('content')) return /\b(?:write|create|save|put)\b/.test(words) ? ['write'] : []
  return isReading ? ['read'] : []
}

const actions: Readonly<Record<FileRole, string>> = {
  read: 'view',
  edit: 'str_replace',
  write: 'create',
  patch: '',
  shell: '',
}

/** The item schema of a list of replacements. */
function pairOf(schema: SchemaObject): JsonSchema | undefined {
  const items = asSchema(schema['items'])
  const names = parametersOf(items, items)
  return [meanings.old, meanings.fresh].every((name) => names.some(({ bare }) => name.test(bare)))
    ? items
    : undefined
}

/** The JSON text of a call's arguments; undefined if the tool requires values that are unknown. */
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
  /** Whether all values that the role needs must be placed here. */
  readonly isWhole: boolean
}

function objectOf(
  schema: JsonSchema,
  root: JsonSchema,
  filling: Filling,
): Record<string, unknown> | undefined {
  const parameters = parametersOf(schema, root)
  const isAlone = parameters.filter(({ isRequired }) => isRequired).length === 1
  const entries = parameters.map((parameter) => {
    const isWhole = isAlone && parameter.isRequired
    return { ...parameter, value: valueOf(parameter, root, { ...filling, isWhole }) }
  })
  if (entries.some(({ value, isRequired }) => isRequired && value === undefined)) return undefined
  return Object.fromEntries(
    entries.filter(({ value }) => value !== undefined).map(({ name, value }) => [name, value]),
  )
}

const neededBy: Readonly<Record<FileRole, readonly Meaning[]>> = {
  read: ['path'],
  edit: ['path', 'old', 'fresh'],
  write: ['path', 'content', 'fresh'],
  patch: [],
  shell: ['command'],
}

/** Whether a tool says that it accepts only absolute paths. */
export function wantsAbsolute(tool: EngineTool): boolean {
  const text = `${tool.description} ${JSON.stringify(tool.parameters)}`
  return /absolute/i.test(text) && !/relative or absolute|absolute or relative/i.test(text)
}

function valueOf(parameter: Parameter, root: JsonSchema, filling: Filling): unknown {
  const { bare, schema, isRequired } = parameter
  const { role, values, isWhole } = filling
  const choices = schema['enum']
  if (Array.isArray(choices))
    return choices.includes(actions[role]) ? actions[role] : isRequired ? choices[0] : undefined
  const meaning = neededBy[role].find((key) => meanings[key].test(bare))
  const only = role === 'read' ? values.path : role === 'patch' ? values.content : undefined
  const value = (meaning && values[meaning]) ?? (isWhole ? only : undefined)
  if (value !== undefined) return shaped(value, parameter, root, filling)
  const pair = role === 'edit' ? pairOf(schema) : undefined
  if (pair !== undefined) return listOf(objectOf(pair, root, filling))
  return isRequired ? beside(bare, schema, values.purpose) : undefined
}

function listOf(item: unknown): readonly unknown[] | undefined {
  return item === undefined ? undefined : [item]
}

/** A text, or a list of such texts or of objects that contain one. */
function shaped(
  value: string,
  { bare, schema }: Parameter,
  root: JsonSchema,
  filling: Filling,
): unknown {
  const ways = [schema, ...[schema['anyOf'], schema['oneOf']].flat().filter(isRecord)]
  const list = ways.find((way) => typesOf(way).includes('array'))
  if (list === undefined || ways.some((way) => typesOf(way).includes('string'))) return value
  const items = asSchema(list['items'])
  if (typesOf(plainSchema(items, root)).includes('object'))
    return listOf(objectOf(items, root, filling))
  // A single command as a list of its words, or a list of commands.
  return filling.role === 'shell' && bare !== 'commands' ? ['bash', '-lc', value] : [value]
}

/** Values for other required parameters: an explanation, a starting point, a limit. */
function beside(bare: string, schema: SchemaObject, purpose: string): unknown {
  const types = typesOf(schema)
  if ('default' in schema) return schema['default']
  if (types.includes('null')) return null
  if (types.includes('boolean')) return /entire|whole|full/.test(bare)
  if (types.includes('string')) return purposes.test(bare) ? purpose : undefined
  if (/end|last|limit|max|lines|timeout/.test(bare)) return schema['maximum'] ?? 2000
  return schema['minimum'] ?? (/offset/.test(bare) ? 0 : 1)
}
