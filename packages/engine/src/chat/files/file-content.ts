import type { Turn } from '../ask/conversation.ts'
import { tellApart } from '../ask/harness.ts'
import { isRecord } from '../schema/json-schema.ts'
import { parseJsonText } from '../text/json-facts.ts'

/** The result of a file tool. */
export interface FileResult {
  /** The file's content or the command's output, without what the tool added around it. */
  readonly content: string
  readonly failed: boolean
}

const failing =
  /^(?:<[\w-]{1,40}>\s*)?(?:fatal )?(?:errors?|failed|failure|enoent|eacces|eisdir|file (?:not found|does not exist|path must)|no such file|cannot|can't|could not|couldn't|unable|permission denied|invalid|unknown)\b|\bno such file or directory\b|^(?:process exited with code|exit code:?) [1-9]/im

/** Reads a result in the forms that agents use: plain text, JSON, numbered lines, or a header before the output. */
export function fileResultOf({ text }: Turn): FileResult {
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
