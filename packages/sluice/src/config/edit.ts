import { existsSync, realpathSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import {
  type Document,
  isMap,
  isNode,
  isScalar,
  parseDocument,
  stringify,
  type YAMLMap,
} from 'yaml'
import { ConfigError } from './config-error.ts'
import type { Path } from './references.ts'

/** Returns the text with one setting changed or added. Comments are kept, and all other lines where possible. */
export function setSetting(text: string, path: Path, value: unknown): string {
  const byDocument = edit(text, (document) => {
    const old = document.getIn(path, true)
    const node = document.createNode(value)
    if (isNode(old)) Object.assign(node, { comment: old.comment, commentBefore: old.commentBefore })
    document.setIn(path, node)
  })
  return preferSplice(spliceIn(text, path, value), byDocument)
}

/** Returns the text without one setting; unchanged if it is absent. */
export function removeSetting(text: string, path: Path): string {
  if (!parseDocument(text).hasIn(path)) return text
  const byDocument = edit(text, (document) => {
    document.deleteIn(path)
  })
  return preferSplice(spliceOut(text, path), byDocument)
}

function edit(text: string, change: (document: Document.Parsed) => void): string {
  const document = parseDocument(text)
  const [error] = document.errors
  if (error) throw new ConfigError(`The settings file is broken already: ${error.message}`)
  try {
    change(document)
  } catch (cause) {
    throw new ConfigError('The setting cannot stand there: what is above it is not a map or list', {
      cause,
    })
  }
  return document.toString({ lineWidth: 0 })
}

/** The splice leaves other lines untouched. It is used if it has exactly the same meaning as the edited document. */
function preferSplice(splice: string | undefined, byDocument: string): string {
  if (splice === undefined) return byDocument
  const document = parseDocument(splice)
  const same =
    document.errors.length === 0 &&
    isDeepStrictEqual(document.toJS() ?? {}, parseDocument(byDocument).toJS() ?? {})
  return same ? splice : byDocument
}

function spliceIn(text: string, path: Path, value: unknown): string | undefined {
  const document = parseDocument(text)
  const node = document.getIn(path, true)
  if (isScalar(node) && node.range) {
    const [start, end] = node.range
    return text.slice(0, start) + stringify(value, { lineWidth: 0 }).trimEnd() + text.slice(end)
  }
  if (node !== undefined) return undefined

  const depth = depthOfNearest(document, path)
  const map = depth === 0 ? document.contents : document.getIn(path.slice(0, depth), true)
  const added = path.slice(depth).reduceRight<unknown>((inner, name) => ({ [name]: inner }), value)
  const lines = stringify(added, { lineWidth: 0 }).trimEnd()
  if (map === null) return `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${lines}\n`
  if (!isMap(map) || map.flow) return undefined
  return insertAfterLastItem(text, map, lines)
}

/** The number of path steps that exist in the document. */
function depthOfNearest(document: Document.Parsed, path: Path): number {
  let depth = path.length - 1
  while (depth > 0 && !document.hasIn(path.slice(0, depth))) depth--
  return depth
}

function insertAfterLastItem(text: string, map: YAMLMap, lines: string): string | undefined {
  const first = map.items[0]?.key
  const last = map.items.at(-1)
  if (!isNode(first) || !first.range || !last || !isNode(last.key)) return undefined
  const lastNode = isNode(last.value) && last.value.range ? last.value : last.key
  if (!lastNode.range) return undefined
  const indent = ' '.repeat(first.range[0] - lineStart(text, first.range[0]))
  const at = lastLineEnd(text, lastNode.range[1])
  const indented = lines.replace(/^(?=.)/gm, indent)
  return `${text.slice(0, at)}\n${indented}${text.slice(at) || '\n'}`
}

function spliceOut(text: string, path: Path): string | undefined {
  const document = parseDocument(text)
  const map = path.length === 1 ? document.contents : document.getIn(path.slice(0, -1), true)
  if (!isMap(map) || map.flow || map.items.length < 2) return undefined
  const pair = map.items.find(
    ({ key }) => isScalar(key) && String(key.value) === String(path.at(-1)),
  )
  if (!pair || !isNode(pair.key) || !pair.key.range) return undefined
  const node = isNode(pair.value) && pair.value.range ? pair.value : pair.key
  if (!node.range) return undefined
  const start = lineStart(text, pair.key.range[0])
  const end = lastLineEnd(text, node.range[1])
  return text.slice(0, start) + text.slice(end + 1)
}

function lineStart(text: string, offset: number): number {
  return text.lastIndexOf('\n', offset - 1) + 1
}

/** The end of the last line of a value, whose own end may be behind its line break. */
function lastLineEnd(text: string, valueEnd: number): number {
  const end = text.indexOf('\n', valueEnd - (text[valueEnd - 1] === '\n' ? 1 : 0))
  return end === -1 ? text.length : end
}

/** Parses `models.fast.targets[0].weight` into steps; names with dots are quoted: `models["gpt-5.5"]`. */
export function parsePath(text: string): Path {
  const path: (string | number)[] = []
  const step = /\.?(?:([^.[\]"]+)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\])/y
  while (step.lastIndex < text.length) {
    const match = step.exec(text)
    if (!match) throw new ConfigError(`${text} is not the path of a setting, such as server.port`)
    const [, name, index, quoted] = match
    if (name !== undefined) path.push(name)
    else if (index !== undefined) path.push(Number(index))
    else if (quoted !== undefined) path.push(String(JSON.parse(quoted)))
  }
  if (path.length === 0) throw new ConfigError('The path of the setting is empty')
  return path
}

/**
 * Replaces a file atomically: readers see either the old or the new text. Symbolic links and the file's mode are kept. A new
 * file is readable by its owner only, because it may contain keys.
 */
export function replaceFile(file: string, text: string): void {
  const target = existsSync(file) ? realpathSync(file) : file
  const mode = existsSync(target) ? statSync(target).mode & 0o777 : 0o600
  const draft = `${target}.${process.pid}.tmp`
  writeFileSync(draft, text, { mode })
  renameSync(draft, target)
}
