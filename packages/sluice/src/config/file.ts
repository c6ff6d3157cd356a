import { readFileSync } from 'node:fs'
import { engineCard } from '@sluice/engine'
import type { TLocalizedValidationError } from 'typebox/error'
import { Compile } from 'typebox/schema'
import { Settings } from 'typebox/system'
import { type Document, isMap, isNode, isPair, LineCounter, parseDocument, visit } from 'yaml'
import { isAddressBlock } from '@sluice/gateway/settings/address-block.ts'
import { ConfigError } from './config-error.ts'
import type { Variables } from '@sluice/gateway/settings/settings.ts'
import { explainErrors, type Mistake } from './explain-errors.ts'
import { foreignFile } from './foreign-file.ts'
import { findLiterals } from './literals.ts'
import { fillReferences, formatPath, type Path } from './references.ts'
import { doubledChoice, routeContradictions } from './route-contradictions.ts'
import { type ConfigFile, configFileSchema } from './schema.ts'

const validator = Compile(configFileSchema)

/**
 * Reads and validates a settings file.
 *
 * @throws ConfigError with one line per mistake: file, line, column and path of the setting.
 */
export function readConfigFile(
  file: string,
  variables: Variables,
): { readonly text: string; readonly content: ConfigFile } {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable'
    throw new ConfigError(`The settings file ${file} cannot be read (${reason})`, { cause: error })
  }
  return { text, content: parseConfig(text, file, variables) }
}

/** Validates the text of a settings file; `file` is its name in messages. An empty text is valid. */
export function parseConfig(text: string, file: string, variables: Variables): ConfigFile {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, merge: true })
  const at = (offset: number) => {
    const { line, col } = lines.linePos(offset)
    return `${file}:${line}:${col}`
  }
  const syntax = [...document.errors, ...document.warnings].map(
    ({ pos, message }) => `${at(pos[0])}: ${explainSyntax(message)}`,
  )
  if (syntax.length > 0) throw new ConfigError(syntax.join('\n'))

  const where = (path: Path) =>
    `${at(offsetOf(document, path))}: ${formatPath(path) || 'the settings file'}`
  const settings = toPlain(document, at)
  const foreign = foreignFile(settings)
  if (foreign) throw new ConfigError(`${where([foreign.name])} ${foreign.problem}`)
  assertNone(findLiterals(settings), where)
  return validated(fillReferences(settings, variables, where), where)
}

/**
 * Validates settings that are in no file.
 *
 * @throws ConfigError with a line for each mistake, which begins with the path of the setting.
 */
export function checkSettings(value: unknown): ConfigFile {
  assertNone(findLiterals(value), formatPath)
  return validated(value, formatPath)
}

function validated(value: unknown, where: (path: Path) => string): ConfigFile {
  if (validator.Check(value)) {
    assertNone(findContradictions(value), where)
    return value
  }
  throw mistaken(explainErrors(allErrors(value), value), where)
}

function assertNone(mistakes: readonly Mistake[], where: (path: Path) => string): void {
  if (mistakes.length > 0) throw mistaken(mistakes, where)
}

function mistaken(mistakes: readonly Mistake[], where: (path: Path) => string): ConfigError {
  return new ConfigError(
    mistakes.map(({ path, problem }) => `${where(path)} ${problem}`).join('\n'),
  )
}

/** `!ENV`, `!secret`: other programs replace what such tags stand before. */
function explainSyntax(message: string): string {
  if (!message.startsWith('Unresolved tag: ')) return message
  return `${message}: write \${NAME} for an environment variable`
}

/** The library stops at 8 errors by default, which a single non-matching arm of a union may use up. */
function allErrors(value: unknown): readonly TLocalizedValidationError[] {
  const { maxErrors } = Settings.Get()
  Settings.Set({ maxErrors: 1_000 })
  try {
    return validator.Errors(value)[1]
  } finally {
    Settings.Set({ maxErrors })
  }
}

function toPlain(document: Document.Parsed, at: (offset: number) => string): unknown {
  visit(document, {
    Alias(_key, alias) {
      if (alias.resolve(document) === undefined)
        throw new ConfigError(`${at(alias.range?.[0] ?? 0)}: *${alias.source} names no anchor`)
    },
  })
  try {
    return document.toJS({ maxAliasCount: 100 }) ?? {}
  } catch (cause) {
    throw new ConfigError(`${at(0)}: aliases of aliases make the file too large`, { cause })
  }
}

/** RFC 9110, 5.1 and 5.5. A header that the HTTP client refuses to send would otherwise look like an unreachable upstream. */
const headerName = /^[!#$%&'*+.^_`|~\w-]+$/
const headerText = /^[\t\x20-\x7e\x80-\xff]*$/

/** Checks that the schema cannot express. */
function findContradictions(config: ConfigFile): readonly Mistake[] {
  const found: Mistake[] = []
  for (const [id, provider] of Object.entries(config.providers ?? {})) {
    const path = ['providers', id]
    if (!/^[a-z0-9][a-z0-9._-]*$/.test(id))
      found.push({ path, problem: 'must be named in small letters, digits, dots and dashes' })
    for (const [name, text] of Object.entries(provider.headers ?? {}))
      if (!headerName.test(name) || !headerText.test(text))
        found.push({ path: [...path, 'headers', name], problem: 'is not a valid header' })
    if (id === engineCard.id)
      found.push({ path, problem: 'must have another name: this one is the built-in engine’s' })
    if (provider.key !== undefined && provider.keys !== undefined)
      found.push({ path: [...path, 'keys'], problem: 'must not stand beside key' })
    if (provider.kind !== undefined && provider.type !== undefined)
      found.push({ path: [...path, 'type'], problem: 'must not stand beside kind' })
    if (provider.type === 'ai-sdk' && provider.package === undefined)
      found.push({ path, problem: 'must have package, since its type is ai-sdk' })
    if (provider.package !== undefined && provider.type !== 'ai-sdk')
      found.push({ path: [...path, 'package'], problem: 'belongs to type ai-sdk alone' })
  }
  for (const [index, block] of (config.server?.trustedProxies ?? []).entries())
    if (!isAddressBlock(block))
      found.push({
        path: ['server', 'trustedProxies', index],
        problem: 'is neither an address nor a block such as 10.0.0.0/8',
      })
  for (const [index, { jwksUrl, jwksFile }] of (config.jwt ?? []).entries())
    if ((jwksUrl === undefined) === (jwksFile === undefined))
      found.push({ path: ['jwt', index], problem: 'must have either jwksUrl or jwksFile' })
  for (const [index, { name }] of (config.keys ?? []).entries())
    if (config.keys?.slice(0, index).some((other) => other.name === name))
      found.push({
        path: ['keys', index, 'name'],
        problem: `is the second ${JSON.stringify(name)}`,
      })
  for (const { path, problem } of doubledChoice(config.defaults ?? {}))
    found.push({ path: ['defaults', ...path], problem })
  return [...found, ...routeContradictions(config.models ?? {})]
}

/** The position of a setting in the text: its name if it has one, otherwise its value or the nearest enclosing node. */
export function offsetOf(document: Document.Parsed, path: Path): number {
  const name = path.at(-1)
  const parent = path.length > 0 ? document.getIn(path.slice(0, -1), true) : document.contents
  if (isMap(parent) && path.length > 0) {
    const pair = parent.items.find(
      (item) => isPair(item) && isNode(item.key) && String(item.key) === String(name),
    )
    if (pair && isNode(pair.key) && pair.key.range) return pair.key.range[0]
  }
  const node = document.getIn(path, true)
  if (isNode(node) && node.range) return node.range[0]
  return path.length > 0 ? offsetOf(document, path.slice(0, -1)) : 0
}
