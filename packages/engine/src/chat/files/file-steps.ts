import { type Answer, type Ask, answerOf } from '../ask/ask.ts'
import { freshResults, type Turn } from '../ask/conversation.ts'
import { leavesOf, parseJsonText } from '../text/json-facts.ts'
import type { PlannedCall } from '../tools/plan.ts'
import type { EngineTool } from '../tools/tool.ts'
import { fileResultOf } from './file-content.ts'
import { type FileTask, fileTaskOf, type ReplaceTask } from './file-task.ts'
import {
  type FileRole,
  type FileValues,
  fileArguments,
  replacesAll,
  rolesOf,
  wantsAbsolute,
} from './file-tools.ts'
import { asOneChange, patchOf, sedCommand, shellWord } from './patch.ts'

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
  const count = content === undefined ? 1 : content.split(old).length - 1
  const edit = callOf('edit', { path, old, fresh, count, purpose }, work, (tool, values) =>
    count > 1 && !replacesAll(tool) ? { ...values, ...asOneChange(content ?? '', task) } : values,
  )
  if (edit !== undefined) return edit
  if (content !== undefined) {
    const whole = content.replaceAll(old, () => fresh)
    const made =
      callOf('patch', { content: patchOf(path, content, task), purpose }, work) ??
      callOf('write', { path, content: whole, fresh: whole, purpose }, work)
    if (made !== undefined) return made
  }
  const command = sedCommand(path, task)
  return command === undefined ? undefined : shellCall(command, purpose, work)
}

/** The call of the first tool that accepts the values: tools named after a file first, then those with the fewest parameters. */
function callOf(
  role: FileRole,
  values: FileValues,
  work: Work,
  adapt: (tool: EngineTool, values: FileValues) => FileValues = (_, same) => same,
): PlannedCall | undefined {
  const weight = (tool: EngineTool): number =>
    (/file/i.test(tool.name) ? 0 : 1000) + JSON.stringify(tool.parameters).length / 1000
  const fitting = work.tools
    .filter((tool) => rolesOf(tool).includes(role))
    .sort((left, right) => weight(left) - weight(right))
  for (const tool of fitting) {
    const own = adapt(tool, values)
    const isPlaced = own.path !== undefined && wantsAbsolute(tool)
    const placed = isPlaced ? { ...own, path: absolute(own.path, work) } : own
    const input = tool.kind === 'custom' ? own.content : fileArguments(tool, role, placed)
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
  const phrasings =
    task.kind === 'read' ? contentsTold(task.paths, results) : replacementTold(task, results)
  const [value] = phrasings
  if (value === undefined) return undefined
  return { ...answerOf('files', phrasings, value), verbatim: true }
}

function contentsTold(paths: readonly string[], results: readonly Turn[]): string[] {
  const told = paths.flatMap((path): { readonly text: string; readonly bare?: string }[] => {
    const turn = resultAbout(path, results)
    if (turn === undefined) return []
    const { content, failed } = fileResultOf(turn)
    if (failed) return [{ text: unread(path, content) }]
    const bare = content.trimEnd()
    return bare.trim() === ''
      ? [{ text: `${path} is empty.` }]
      : [{ text: `${path} says:\n\n${bare}`, bare }]
  })
  const [only] = told
  if (only === undefined) return []
  const bare = told.length === 1 && only.bare !== undefined ? [only.bare] : []
  return [told.map(({ text }) => text).join('\n\n'), ...bare]
}

function unread(path: string, reason: string): string {
  return `${path} could not be read: ${reason.trim()}`
}

function replacementTold(task: ReplaceTask, results: readonly Turn[]): string[] {
  const { path, old, fresh } = task
  const { read, edited } = stepsOf(task, results)
  if (edited !== undefined) {
    const { content, failed } = fileResultOf(edited)
    const done = `Done: in ${path}, "${old}" was replaced with "${fresh}".`
    return [failed ? `That failed: ${content.trim()}` : done]
  }
  if (read === undefined) return []
  const { content, failed } = fileResultOf(read)
  if (failed) return [unread(path, content)]
  return content.includes(old) ? [] : [`${path} does not hold "${old}"; nothing was changed.`]
}
