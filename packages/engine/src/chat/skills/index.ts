import type { Answer, Ask, Skill } from '../ask/ask.ts'
import { arithmetic } from './arithmetic.ts'
import { describeMedia } from './describe-media.ts'
import { dictated } from './dictated.ts'
import { fallback } from './fallback.ts'
import { question } from './question.ts'
import { summarise } from './summarise.ts'
import { toolResults } from './tool-results.ts'

/** In order of precedence: the first skill with an answer gives it. */
const skills: readonly Skill[] = [
  toolResults,
  dictated,
  describeMedia,
  arithmetic,
  summarise,
  question,
]

/** The answer to a request; the fallback if no skill has one. */
export function answer(ask: Ask): Answer {
  for (const skill of skills) {
    const found = skill.answer(ask)
    if (found !== undefined) return found
  }
  return fallback
}
