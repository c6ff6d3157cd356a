import { type Answer, type Ask, answerOf, type Skill } from '../ask/ask.ts'
import { sentencesOf } from '../text/sentences.ts'
import { arithmetic } from './arithmetic.ts'
import { count } from './count.ts'
import { describeMedia } from './describe-media.ts'
import { dictated } from './dictated.ts'
import { extract } from './extract.ts'
import { fallback } from './fallback.ts'
import { question } from './question.ts'
import { sort } from './sort.ts'
import { summarise } from './summarise.ts'
import { toolResults } from './tool-results.ts'

/** In order of precedence: the first skill with an answer gives it. */
const skills: readonly Skill[] = [
  toolResults,
  dictated,
  describeMedia,
  extract,
  sort,
  count,
  arithmetic,
  summarise,
  question,
]

const partsMax = 6

/** The answer to a request; the fallback if no skill has one. */
export function answer(ask: Ask): Answer {
  return inParts(ask) ?? single(ask) ?? fallback
}

function single(ask: Ask): Answer | undefined {
  for (const skill of skills) {
    const found = skill.answer(ask)
    if (found !== undefined) return found
  }
  return undefined
}

/** Answers several questions in one request one after the other, if all of them can be answered. */
function inParts(ask: Ask): Answer | undefined {
  const questions = sentencesOf(ask.instruction).filter((each) => /[?？]["')\]]?$/.test(each))
  const isTold = ask.conversation.turns.at(-1)?.role === 'tool'
  if (questions.length < 2 || questions.length > partsMax || isTold) return undefined
  const answers = questions
    .map((text) => single({ ...ask, text, instruction: text }))
    .filter((found) => found !== undefined)
  if (answers.length < questions.length) return undefined
  const ways = [0, 1].map((way) =>
    answers.map(({ phrasings }) => phrasings[way] ?? phrasings[0]).join('\n'),
  )
  const names = new Set(answers.map(({ skill }) => skill))
  const evidence = answers.flatMap((found) => found.evidence)
  return answerOf([...names].join(' + '), [...new Set(ways)], undefined, evidence)
}
