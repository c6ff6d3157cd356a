import { invalidRequest } from '@sluice/contract'
import { type Answer, type Ask, freshResults, lastUserTurn, type Turn } from '../ask/ask.ts'
import { fileCalls } from '../files/file-steps.ts'
import { type Clues, findClues } from '../schema/clues.ts'
import { parseJsonText } from '../text/json-facts.ts'
import { type PlannedCall, planCalls } from './plan.ts'
import type { ToolUse } from './tool.ts'

/**
 * The calls to make now. A call that was made and got its result since the last user turn is not repeated, unless a call is
 * required and every tool was called. Throws invalid_request if a call is required and no valid arguments exist.
 */
export function nextCalls(use: ToolUse, ask: Ask, answer: Answer): PlannedCall[] {
  if (use.mode === 'none' || (use.mode === 'auto' && isForbidden(ask))) return []
  const results = freshResults(ask.conversation)
  const ofFiles = fileCalls(use.tools, ask)
  const inTurn = (calls: readonly PlannedCall[]): PlannedCall[] =>
    calls.slice(0, use.parallel ? calls.length : 1)
  if (ofFiles !== undefined && (use.mode === 'auto' || ofFiles.length > 0)) return inTurn(ofFiles)
  if (use.mode === 'auto' && results.length > 0 && use.parallel) return []
  const called = new Set(results.map(({ answers }) => answers?.name))
  const uncalled = use.tools.filter(({ name }) => !called.has(name))
  // What the other tools found is what a call demanded after them is about.
  const isAfter = use.mode === 'required' && uncalled.length === use.tools.length
  const planned = planCalls(use, {
    clues: cluesOf(ask, answer, isAfter ? results : []),
    needsLookup:
      answer.skill === 'none' &&
      /\?|^(?:who|what|when|where|which|how|why|find|tell)\b/i.test(ask.instruction),
    isAnswered: !['none', 'question'].includes(answer.skill),
    isDemanded: use.tools.length === 1 && demanded.test(ask.orders),
  })
  if (planned.length === 0 && use.mode === 'required')
    throw invalidRequest(
      `No arguments could be found that the schema of ${use.tools.map(({ name }) => name).join(', ')} allows`,
      'tools',
    )
  const open = planned.filter((call) => !isAnswered(call, results))
  if (use.mode === 'auto' || open.length > 0) return inTurn(open)
  return uncalled.length > 0 ? nextCalls({ ...use, tools: uncalled }, ask, answer) : inTurn(planned)
}

const noTools =
  /\b(?:do not|don['’]?t|never|without|avoid|refrain from|must not)\b[^.?!\n]{0,30}\b(?:tools?|functions?)\b|\bno (?:tools?|functions?|tool calls?)\b/i
const anyTools =
  /\b(?:do not|don['’]?t|never|must not) (?:use|call|invoke) (?:any |the )?(?:tools?|functions?)\b|\bwithout (?:any |using (?:any )?)?tools?\b/i
const demanded =
  /\b(?:must|always)\b[^.\n]{0,40}\b(?:call|use)\b[^.\n]{0,60}\b(?:tools?|functions?)\b/i

function isForbidden(ask: Ask): boolean {
  return noTools.test(ask.text.slice(0, 20_000)) || anyTools.test(ask.orders)
}

function isAnswered({ tool, input }: PlannedCall, results: readonly Turn[]): boolean {
  const same = (other: string): boolean =>
    other === input ||
    (parseJsonText(input) !== undefined &&
      JSON.stringify(parseJsonText(other)) === JSON.stringify(parseJsonText(input)))
  return results.some(({ answers }) => answers?.name === tool.name && same(answers.input))
}

/** Clues from results and the last user turn; if it only answers a question of the assistant, also from the turn before. */
function cluesOf({ conversation, text, now }: Ask, answer: Answer, told: readonly Turn[]): Clues {
  const { turns } = conversation
  const asked = lastUserTurn(conversation)
  const before = turns.findLast(
    (turn) => turn.role === 'assistant' && turn.index < (asked?.index ?? 0),
  )
  const isReply = before?.text.trim().endsWith('?') === true && text.length < 200
  const earlier = turns.findLast((turn) => turn.role === 'user' && turn !== asked)
  const texts = [...told, ...(isReply && earlier ? [earlier] : [])].map((turn) => turn.text)
  return findClues([...texts, text].join('\n'), { now, answer })
}
