import { GatewayError } from '@sluice/contract'
import type { Answer, Ask } from '../ask/ask.ts'
import { freshResults, lastUserTurn, type Turn } from '../ask/conversation.ts'
import { fileCalls } from '../files/file-steps.ts'
import { type Clues, findClues } from '../schema/clues.ts'
import { type PlannedCall, planCalls } from './plan.ts'
import type { ToolUse } from './tool.ts'

/**
 * The calls to be made now. What was called and answered since the last user turn is not called again, unless a call
 * is required. Throws invalid_request where a call is required and no arguments can be valid.
 */
export function nextCalls(use: ToolUse, ask: Ask, answer: Answer): PlannedCall[] {
  if (use.mode === 'none' || (use.mode === 'auto' && isForbidden(ask))) return []
  const results = freshResults(ask.conversation)
  const ofFiles = fileCalls(use.tools, ask)
  const inTurn = (calls: readonly PlannedCall[]): PlannedCall[] =>
    calls.slice(0, use.parallel ? calls.length : 1)
  if (ofFiles !== undefined && (use.mode === 'auto' || ofFiles.length > 0)) return inTurn(ofFiles)
  if (use.mode === 'auto' && results.length > 0 && use.parallel) return []
  const planned = planCalls(use, {
    clues: cluesOf(ask, answer),
    needsLookup:
      answer.skill === 'none' &&
      /\?|^(?:who|what|when|where|which|how|why|find|tell)\b/i.test(ask.instruction),
    isAnswered: !['none', 'question', 'note'].includes(answer.skill),
    isDemanded: use.tools.length === 1 && demanded.test(ask.orders),
  })
  if (planned.length === 0 && use.mode === 'required') throw unfillable(use)
  const open = planned.filter((call) => !isAnswered(call, results))
  return inTurn(use.mode === 'auto' || open.length > 0 ? open : planned)
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

function unfillable(use: ToolUse): GatewayError {
  const names = use.tools.map((tool) => tool.name).join(', ')
  return new GatewayError(
    'invalid_request',
    `No arguments could be found that the schema of ${names} allows`,
    { param: 'tools' },
  )
}

function isAnswered(call: PlannedCall, results: readonly Turn[]): boolean {
  return results.some(
    ({ answers }) =>
      answers?.name === call.tool.name &&
      (answers.input === call.input || sameJson(answers.input, call.input)),
  )
}

function sameJson(left: string, right: string): boolean {
  try {
    return JSON.stringify(JSON.parse(left)) === JSON.stringify(JSON.parse(right))
  } catch {
    return false
  }
}

/** The last user turn; with the turn before it where it only answers a question of the assistant. */
function cluesOf(ask: Ask, answer: Answer): Clues {
  const { turns } = ask.conversation
  const asked = lastUserTurn(ask.conversation)
  const earlier = turns.filter((turn) => turn.role === 'user' && turn !== asked)
  const before = turns.findLast(
    (turn) => turn.role === 'assistant' && turn.index < (asked?.index ?? 0),
  )
  const replies = before !== undefined && before.text.trim().endsWith('?') && ask.text.length < 200
  const previous = earlier.at(-1)?.text
  const text = replies && previous !== undefined ? `${previous}\n${ask.text}` : ask.text
  const said = earlier
    .map((turn) => turn.text)
    .toReversed()
    .join('\n')
  const { now } = ask
  const results = freshResults(ask.conversation)
    .map((turn) => turn.text)
    .join('\n')
  const background = findClues(`${results}\n${said}\n${ask.orders}`, { now })
  return findClues(text, { now, answer, before: background })
}
