import { type Answer, type Ask, answerOf, freshResults, type Turn } from '../ask/ask.ts'
import { tellApart } from '../ask/harness.ts'
import { isRecord } from '../schema/json-schema.ts'
import { leavesOf, parseJsonText } from '../text/json-facts.ts'
import type { PlannedCall } from '../tools/plan.ts'
import type { EngineTool } from '../tools/tool.ts'
import { type FileTask, fileTaskOf, type ReplaceTask } from './file-task.ts'
import {
  type FileRole,
  type FileValues,
  fileArguments,
  rolesOf,
  wantsAbsolute,
} from './file-tools.ts'

interface Work {
  readonly ask: Ask
  readonly tools: readonly EngineTool[]
  readonly results: readonly Turn[]
}

/**
 * The calls for the next step of reading or editing a file; an empty list if the task is done. Undefined if the request is not
 * about a file or no tool fits.
 */
export function fileCalls(tools: readonly EngineTool[], ask: Ask): PlannedCall[] | undefined {
  const task = fileTaskOf(ask)
  const results = freshResults(ask.conversation)
  const calls = task === undefined ? [undefined] : nextCalls(task, { ask, tools, results })
  return calls.includes(undefined) ? undefined : calls.filter((call) => call !== undefined)
}

/** Undefined for a call that no tool fits. */
function nextCalls(task: FileTask, work: Work): (PlannedCall | undefined)[] {
  const { results } = work
  if (task.kind === 'read')
    return task.paths
      .filter((path) => resultAbout(path, results) === undefined)
      .map((path) => readCall(path, work))
  return replaceCalls(task, work)
}

function readCall(path: string, work: Work): PlannedCall | undefined {
  const purpose = `Read ${path}`
  return (
    callOf('read', { path, purpose }, work) ?? shellCall(`cat ${shellWord(path)}`, purpose, work)
  )
}

function shellCall(command: string, purpose: string, work: Work): PlannedCall | undefined {
  return callOf('shell', { command, purpose }, work)
}

/** First read, so that the content is known; then edit; then done. */
function replaceCalls(task: ReplaceTask, work: Work): (PlannedCall | undefined)[] {
  const { read, edited } = stepsOf(task, work.results)
  if (edited !== undefined) return []
  if (read === undefined) return [readCall(task.path, work) ?? editCall(task, undefined, work)]
  const { content, failed } = fileResultOf(read)
  return failed || !content.includes(task.old) ? [] : [editCall(task, content, work)]
}

function editCall(
  task: ReplaceTask,
  content: string | undefined,
  work: Work,
): PlannedCall | undefined {
  const { path, old, fresh } = task
  const purpose = `Replace ${old} with ${fresh} in ${path}`
  const change = content === undefined ? task : asOneChange(content, task)
  const edit = callOf('edit', { path, purpose, old: change.old, fresh: change.fresh }, work)
  if (edit !== undefined) return edit
  const patch = content === undefined ? undefined : patchOf(path, content, task)
  const patched = patch && callOf('patch', { content: patch, purpose }, work)
  if (patched) return patched
  const command = sedCommand(path, task)
  return command === undefined ? undefined : shellCall(command, purpose, work)
}

/** The call of the first tool that accepts the values: tools named after a file first, then those with the fewest parameters. */
function callOf(role: FileRole, values: FileValues, work: Work): PlannedCall | undefined {
  const weight = (tool: EngineTool): number =>
    (/file/i.test(tool.name) ? 0 : 1000) + JSON.stringify(tool.parameters).length / 1000
  const fitting = work.tools
    .filter((tool) => rolesOf(tool).includes(role))
    .sort((left, right) => weight(left) - weight(right))
  for (const tool of fitting) {
    const isPlaced = values.path !== undefined && wantsAbsolute(tool)
    const placed = isPlaced ? { ...values, path: absolute(values.path, work) } : values
    const input = tool.kind === 'custom' ? values.content : fileArguments(tool, role, placed)
    if (input !== undefined) return { tool, input, unsaid: [] }
  }
  return undefined
}

const workingFolder =
  /(?:working (?:in the )?director(?:y|ies)|<cwd>|workspace director(?:y|ies)|workspace root)[^\n/<]{0,60}\n?[^\n/<]{0,20}(\/[^\s<>"'`]{1,300})/i

/** Makes a path absolute, if the request says in which folder the agent works. */
function absolute(path: string, { ask }: Work): string {
  if (/^(?:[/~]|[A-Za-z]:)/.test(path)) return path
  const told = [ask.instructions, ...ask.conversation.turns.map((turn) => turn.context ?? '')]
  const folder = told
    .map((text) => workingFolder.exec(text)?.[1])
    .find((found) => found !== undefined)
  return folder === undefined
    ? path
    : `${folder.replace(/[/.,]$/, '')}/${path.replace(/^\.\//, '')}`
}

/** The last result of a call that names the path. */
function resultAbout(path: string, results: readonly Turn[]): Turn | undefined {
  const written = JSON.stringify(path.replace(/^\.\//, '')).slice(1, -1)
  return results.findLast(
    ({ answers }) => answers?.input.includes(written) === true || answers?.input.includes(path),
  )
}

interface Steps {
  readonly read: Turn | undefined
  readonly edited: Turn | undefined
}

function stepsOf(task: ReplaceTask, results: readonly Turn[]): Steps {
  const isEdit = ({ answers }: Turn): boolean =>
    answers !== undefined && textsIn(answers.input).some((text) => changesBy(text, task))
  return {
    read: resultAbout(
      task.path,
      results.filter((turn) => !isEdit(turn)),
    ),
    edited: results.findLast(isEdit),
  }
}

/** Whether it is a text from the arguments of an edit, and not the path or the command of a read. */
function changesBy(text: string, { path, fresh }: ReplaceTask): boolean {
  const rest = text.endsWith(path) ? text.slice(0, -path.length) : text
  return text.includes(fresh) && !/^(?:.*[/\\]|cat |Read )$|^$/.test(rest)
}

function textsIn(input: string): readonly string[] {
  const parsed = parseJsonText(input)
  return parsed === undefined ? [input] : leavesOf(parsed).map((leaf) => leaf.value)
}

/** The answer after reading or editing a file; undefined if the request is not about a file. */
export function fileAnswer(ask: Ask): Answer | undefined {
  const results = freshResults(ask.conversation)
  const task = fileTaskOf(ask)
  if (results.length === 0 || task === undefined) return undefined
  const told =
    task.kind === 'read'
      ? task.paths.flatMap((path) => contentTold(path, results)).join('\n\n')
      : replacementTold(task, results)
  return told === '' ? undefined : { ...answerOf('files', [told], told), verbatim: true }
}

function contentTold(path: string, results: readonly Turn[]): string[] {
  const turn = resultAbout(path, results)
  if (turn === undefined) return []
  const { content, failed } = fileResultOf(turn)
  if (failed) return [unread(path, content)]
  return [content.trim() === '' ? `${path} is empty.` : `${path} says:\n\n${content.trimEnd()}`]
}

function unread(path: string, reason: string): string {
  return `${path} could not be read: ${reason.trim()}`
}

/** Empty if nothing is known yet. */
function replacementTold(task: ReplaceTask, results: readonly Turn[]): string {
  const { path, old, fresh } = task
  const { read, edited } = stepsOf(task, results)
  if (edited !== undefined) {
    const { content, failed } = fileResultOf(edited)
    if (failed) return `That failed: ${content.trim()}`
    return `Done: in ${path}, "${old}" was replaced with "${fresh}".`
  }
  if (read === undefined) return ''
  const { content, failed } = fileResultOf(read)
  if (failed) return unread(path, content)
  return content.includes(old) ? '' : `${path} does not hold "${old}"; nothing was changed.`
}

/** The result of a file tool. */
interface FileResult {
  /** The file's content or the command's output, without what the tool added around it. */
  readonly content: string
  readonly failed: boolean
}

const failing =
  /^(?:<[\w-]{1,40}>\s*)?(?:fatal )?(?:errors?|failed|failure|enoent|eacces|eisdir|file (?:not found|does not exist|path must)|no such file|cannot|can't|could not|couldn't|unable|permission denied|invalid|unknown)\b|\bno such file or directory\b|^(?:process exited with code|exit code:?) [1-9]/im

/** Reads a result in the forms that agents use: plain text, JSON, numbered lines, or a header before the output. */
function fileResultOf({ text }: Turn): FileResult {
  const opened = unwrapped(text)
  const failed = opened.failed || failing.test(opened.content.slice(0, 400))
  return { content: withoutNumbers(withoutHead(opened.content)), failed }
}

const textKeys = ['output', 'content', 'result', 'text', 'stdout', 'data']

/** `{"output":"…"}`, `[{"result":"…","success":true}]`. */
function unwrapped(text: string): FileResult {
  const [item] = [parseJsonText(text)].flat()
  if (!isRecord(item)) return { content: tellApart(text).text, failed: false }
  const { error } = item
  if (typeof error === 'string' && error !== '') return { content: error, failed: true }
  const own = textKeys.map((key) => item[key]).find((value) => typeof value === 'string')
  return { content: own ?? text, failed: own !== undefined && item['success'] === false }
}

/** "Exit code: 0\nWall time: 1 s\nOutput:\n…" and `<content>…</content>`. */
function withoutHead(text: string): string {
  const head = text.slice(0, 400)
  const output =
    /^(?:(?:chunk id|wall time|exit code|process exited|original token count|total output lines|command)\b[^\n]*\n)+output:\n?/i.exec(
      head,
    )
  if (output !== null) return text.slice(output[0].length)
  const open = /<(content|file|output|stdout)>\n?/.exec(head)
  const close = open === null ? -1 : text.lastIndexOf(`</${open[1]}>`)
  return open === null || close < open.index
    ? text
    : text.slice(open.index + open[0].length, close).replace(/\n\n?\([^\n()]{1,200}\)\s*$/, '')
}

const numbered = /^ *(\d{1,7})(?:→|\t| \| ?|: |\|)/

/** Removes the numbers of `cat -n`. Lines of the file itself may begin with numbers too, but not all of them in sequence. */
function withoutNumbers(text: string): string {
  const lines = text.split('\n')
  const last = lines.at(-1) === '' ? lines.length - 1 : lines.length
  const first = Number(numbered.exec(lines[0] ?? '')?.[1] ?? Number.NaN)
  const inOrder = lines
    .slice(0, last)
    .every((line, index) => Number(numbered.exec(line)?.[1]) === first + index)
  return inOrder && last > 0 ? lines.map((line) => line.replace(numbered, '')).join('\n') : text
}

/** An edit: the text to find and the text to put in its place. */
interface Change {
  readonly old: string
  readonly fresh: string
}

/** The same change, with an old text that occurs once: whole lines from its first occurrence in the file to its last. */
function asOneChange(content: string, change: Change): Change {
  const isOne = content.indexOf(change.old) === content.lastIndexOf(change.old)
  return isOne ? change : wholeLines(content, change)
}

function wholeLines(content: string, { old, fresh }: Change): Change {
  const start = content.lastIndexOf('\n', content.indexOf(old)) + 1
  const newline = content.indexOf('\n', content.lastIndexOf(old) + old.length)
  const lines = content.slice(start, newline < 0 ? content.length : newline)
  return { old: lines, fresh: lines.replaceAll(old, () => fresh) }
}

/** A change in the form of Codex's apply_patch, which supports only whole lines. */
function patchOf(path: string, content: string, change: Change): string {
  const { old, fresh } = wholeLines(content, change)
  const hunk = [
    ...old.split('\n').map((line) => `-${line}`),
    ...fresh.split('\n').map((line) => `+${line}`),
  ]
  const head = ['*** Begin Patch', `*** Update File: ${path}`, '@@']
  return [...head, ...hunk, '*** End Patch'].join('\n')
}

/** A word of a shell command, quoted if necessary. */
function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
}

/** Undefined for texts of several lines, which sed does not treat as one. */
function sedCommand(path: string, { old, fresh }: Change): string | undefined {
  if (`${old}${fresh}`.includes('\n')) return undefined
  const pattern = old.replace(/[\\/.*^$[\]]/g, String.raw`\$&`)
  const replacement = fresh.replace(/[\\/&]/g, String.raw`\$&`)
  return `sed -i ${shellWord(`s/${pattern}/${replacement}/g`)} ${shellWord(path)}`
}
