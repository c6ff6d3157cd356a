import { createAsk } from '../chat/ask/ask.ts'
import { isCommand } from '../chat/ask/split-request.ts'
import { evaluate } from '../chat/math/expression.ts'
import { formatQuantity, toNumber } from '../chat/math/rational.ts'
import { answer } from '../chat/skills/index.ts'
import { styled, styleOf } from '../chat/style.ts'

/** The skills read only the end of a prompt, up to this length. */
const promptCharactersMax = 400_000

/**
 * Continuations for a prompt that asks or tells something: an open calculation, a question followed by "A:", an instruction.
 * Undefined if the prompt is a text to be continued.
 */
export function answerPrompt(prompt: string, now: number): readonly string[] | undefined {
  const text = prompt.slice(-promptCharactersMax)
  return openCalculation(text) ?? asked(text, now)
}

function openCalculation(prompt: string): readonly string[] | undefined {
  const match = /([^\n=:,;]{1,200})=\s*$/.exec(prompt.slice(-220))
  const found = match?.[1] === undefined ? undefined : evaluate(match[1])
  if (found === undefined || found.operators === 0 || Number.isNaN(toNumber(found.value)))
    return undefined
  return [spaced(prompt, formatQuantity(found.value))]
}

const open =
  /(?:^|\n|[.?!] )\s{0,8}(?:a|answer|assistant|response|reply|output|result|summary|sentiment|label|category)\s?:[ \t]*$/i
const lastQuestion = /(?:^|\n)\s{0,8}(?:q|question|user|human|input)\s?:([^\n]{1,2000})/gi

function asked(prompt: string, now: number): readonly string[] | undefined {
  const opening = open.exec(prompt.slice(-2000))
  const body = opening === null ? prompt : prompt.slice(0, prompt.length - opening[0].length)
  if (opening === null && !isInstruction(body)) return undefined
  const question = opening === null ? undefined : [...body.matchAll(lastQuestion)].at(-1)
  const before = body.slice(0, question?.index)
  const asks = `Question: ${question?.[1]?.trim() ?? ''}`
  const text =
    question === undefined ? body : before.trim() === '' ? asks.slice(10) : `${before}\n\n${asks}`
  const turn = { role: 'user', index: 0, text, media: [], calls: [] } as const
  const ask = createAsk({ turns: [turn] }, now)
  const found = answer(ask)
  const ways = styled(found, styleOf(ask))
  if (opening === null) return ways
  const values = found.value === undefined ? [] : [found.value]
  return [...new Set([...values, ...ways])].map((way) => spaced(prompt, way))
}

/** Whether the last paragraph or the first is a question or begins with an imperative. */
function isInstruction(prompt: string): boolean {
  const paragraphs = prompt.trim().split(/\n[ \t\r]{0,40}\n/)
  return [paragraphs[0], paragraphs.at(-1)].some((paragraph = '') => {
    const lines = paragraph.trim().split('\n')
    return isTold(lines[0] ?? '') || isTold(lines.at(-1) ?? '')
  })
}

/** "The capital of" and "What a day it was" are beginnings of a text; a question ends with a question mark. */
function isTold(line: string): boolean {
  if (/[?？]$/.test(line.trim())) return true
  return (
    isCommand(line) &&
    !/^(?:what|who|where|when|why|how|which|is|are|was|were|do|does|did|can|could|will|would|should|has|have|had|am|change|order|point|state|name|answer|rank|review|use|note)\b/i.test(
      line.trim(),
    )
  )
}

/** A text in the form in which it follows the prompt. */
export function spaced(prompt: string, text: string): string {
  return prompt === '' || /\s$/.test(prompt) ? text : ` ${text}`
}
