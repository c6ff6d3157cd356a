import type { Answer, Ask } from '../ask/ask.ts'
import { freshResults, type Turn } from '../ask/conversation.ts'
import { leavesOf, parseJsonText } from '../text/json-facts.ts'
import type { PlannedCall } from '../tools/plan.ts'
import type { EngineTool } from '../tools/tool.ts'
import { fileResultOf } from './file-content.ts'
import { fileTaskOf, type ReplaceTask } from './file-task.ts'
import {
  fileArguments,
  type FileRole,
  type FileValues,
  replacesAll,
  rolesOf,
  wantsAbsolute,
} from './file-tools.ts'
import { asOneChange, newFilePatch, patchOf, sedCommand, shellWord } from './patch.ts'

/**
 * The calls that the next step of a file's reading, editing or writing takes, none where it is over; undefined where
 * the request is about no file or no tool fits.
 */
export function fileCalls(tools: readonly EngineTool[], ask: Ask): PlannedCall[] | undefined {
  const task = fileTaskOf(ask)
  if (task === undefined) return undefined
  const work: Work = { ask, tools, results: freshResults(ask.conversation) }
  switch (task.kind) {
    case 'read':
      return readCalls(task.paths, work)
    case 'replace':
      return replaceCalls(task, work)
    case 'write':
      return once(work, () => writeCall(task.path, task.content, work))
    case 'run':
      return once(work, () => shellCall(task.command, `Run ${task.command}`, work))
  }
}

interface Work {
  readonly ask: Ask
  readonly tools: readonly EngineTool[]
  readonly results: readonly Turn[]
}

function once({ results }: Work, make: () => PlannedCall | undefined): PlannedCall[] | undefined {
  if (results.length > 0) return []
  const call = make()
  return call === undefined ? undefined : [call]
}

function readCalls(paths: readonly string[], work: Work): PlannedCall[] | undefined {
  const open = paths.filter((path) => resultAbout(path, work.results) === undefined)
  const calls = open.map((path) => readCall(path, work))
  return calls.includes(undefined) ? undefined : calls.filter((call) => call !== undefined)
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

/** Read, so that what is there is known; edit; done. */
function replaceCalls(task: ReplaceTask, work: Work): PlannedCall[] | undefined {
  const { read, edited } = stepsOf(task, work.results)
  if (edited !== undefined) return []
  if (read === undefined) {
    const call = readCall(task.path, work) ?? editCall(task, undefined, work)
    return call === undefined ? undefined : [call]
  }
  const { content, failed } = fileResultOf(read)
  if (failed || !content.includes(task.old)) return []
  const call = editCall(task, content, work)
  return call === undefined ? undefined : [call]
}

function editCall(
  task: ReplaceTask,
  content: string | undefined,
  work: Work,
): PlannedCall | undefined {
  const { path, old, fresh } = task
  const purpose = `Replace ${old} with ${fresh} in ${path}`
  const count = content === undefined ? 1 : content.split(old).length - 1
  for (const tool of toolsFor('edit', work)) {
    const one = count > 1 && !replacesAll(tool) ? asOneChange(content ?? '', task) : { old, fresh }
    const values = { path, ...one, count, purpose }
    const call = callWith(tool, 'edit', values, work)
    if (call !== undefined) return call
  }
  if (content !== undefined) {
    const patched = callOf('patch', { content: patchOf(path, content, task), purpose }, work)
    const whole = content.replaceAll(old, () => fresh)
    const made = patched ?? callOf('write', { path, content: whole, fresh: whole, purpose }, work)
    if (made !== undefined) return made
  }
  const command = sedCommand(path, task)
  return command === undefined ? undefined : shellCall(command, purpose, work)
}

function writeCall(path: string, content: string, work: Work): PlannedCall | undefined {
  const purpose = `Write ${path}`
  return (
    callOf('write', { path, content, fresh: content, purpose }, work) ??
    callOf('patch', { content: newFilePatch(path, content), purpose }, work) ??
    shellCall(`printf '%s\\n' ${shellWord(content)} > ${shellWord(path)}`, purpose, work)
  )
}

function callOf(role: FileRole, values: FileValues, work: Work): PlannedCall | undefined {
  for (const tool of toolsFor(role, work)) {
    const call = callWith(tool, role, values, work)
    if (call !== undefined) return call
  }
  return undefined
}

/** Those named after a file first, then those that ask for least. */
function toolsFor(role: FileRole, { tools }: Work): EngineTool[] {
  const weight = (tool: EngineTool): number =>
    (/file/i.test(tool.name) ? 0 : 1000) + JSON.stringify(tool.parameters).length / 1000
  return tools
    .filter((tool) => rolesOf(tool).includes(role))
    .sort((left, right) => weight(left) - weight(right))
}

function callWith(
  tool: EngineTool,
  role: FileRole,
  values: FileValues,
  work: Work,
): PlannedCall | undefined {
  if (tool.kind === 'custom') return { tool, input: values.content ?? '', unsaid: [] }
  const { path } = values
  const placed =
    path === undefined || !wantsAbsolute(tool) ? values : { ...values, path: absolute(path, work) }
  const input = fileArguments(tool, role, placed)
  return input === undefined ? undefined : { tool, input, unsaid: [] }
}

const workingFolder =
  /(?:working (?:in the )?director(?:y|ies)|<cwd>|workspace director(?:y|ies)|workspace root)[^\n/<]{0,60}\n?[^\n/<]{0,20}(\/[^\s<>"'`]{1,300})/i

/** As far as the request says where the agent works. */
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

/** A text of an edit's arguments, rather than the path or the command of a reading. */
function changesBy(text: string, { path, fresh }: ReplaceTask): boolean {
  const rest = text.endsWith(path) ? text.slice(0, -path.length) : text
  return text.includes(fresh) && !/^(?:.*[/\\]|cat |Read )$|^$/.test(rest)
}

function textsIn(input: string): readonly string[] {
  const parsed = parseJsonText(input)
  return parsed === undefined ? [input] : leavesOf(parsed).map((leaf) => leaf.value)
}

/** What came of a file's reading, editing or writing; undefined where the request is about none. */
export function fileAnswer(ask: Ask): Answer | undefined {
  const results = freshResults(ask.conversation)
  const task = results.length === 0 ? undefined : fileTaskOf(ask)
  if (task === undefined) return undefined
  switch (task.kind) {
    case 'read':
      return told(contentsTold(task.paths, results))
    case 'replace':
      return told(replacementTold(task, results))
    case 'write':
      return told(outcome(results.at(-1), `${task.path} was written.`))
    case 'run':
      return told(outputOf(results.at(-1), task.command))
  }
}

function told(texts: readonly string[]): Answer | undefined {
  const [value] = texts
  if (value === undefined) return undefined
  return { skill: 'files', phrasings: texts, value, evidence: [], verbatim: true }
}

function contentsTold(paths: readonly string[], results: readonly Turn[]): string[] {
  const found = paths.flatMap((path) => {
    const turn = resultAbout(path, results)
    return turn === undefined ? [] : [{ path, ...fileResultOf(turn) }]
  })
  const [only] = found
  if (only === undefined) return []
  const texts = found.map(({ path, content, failed }) => {
    if (failed) return `${path} could not be read: ${content.trim()}`
    return content.trim() === '' ? `${path} is empty.` : `${path} says:\n\n${content.trimEnd()}`
  })
  const bare = found.length === 1 && !only.failed && only.content.trim() !== ''
  return [texts.join('\n\n'), ...(bare ? [only.content.trimEnd()] : [])]
}

function outputOf(turn: Turn | undefined, command: string): string[] {
  if (turn === undefined) return []
  const { content } = fileResultOf(turn)
  const output = content.trim()
  return output === '' ? [`${command} ran and printed nothing.`] : [output]
}

function outcome(turn: Turn | undefined, done: string): string[] {
  if (turn === undefined) return []
  const { content, failed } = fileResultOf(turn)
  return [failed ? `That failed: ${content.trim()}` : done]
}

function replacementTold(task: ReplaceTask, results: readonly Turn[]): string[] {
  const { path, old, fresh } = task
  const { read, edited } = stepsOf(task, results)
  const done = `Done: in ${path}, "${old}" was replaced with "${fresh}".`
  if (edited !== undefined) return outcome(edited, done)
  if (read === undefined) return []
  const { content, failed } = fileResultOf(read)
  if (failed) return [`${path} could not be read: ${content.trim()}`]
  return content.includes(old) ? [] : [`${path} does not hold "${old}"; nothing was changed.`]
}
