import { type Answer, type Ask, answerOf, lastUserTurn, type Skill } from '../ask/ask.ts'
import {
  type Evaluated,
  evaluate,
  findExpression,
  formatNumber,
  isRounded,
} from '../math/expression.ts'
import { dictated } from './dictated.ts'
import { question, summarise } from './question.ts'
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
    const found = skill(ask)
    if (found !== undefined) return found
  }
  return fallback
}

const around =
  /^(?:please\s+)?(?:(?:what(?:'s| is)|how much is|calculate|compute|evaluate|solve)\s+)?|[\s?.!=]+$/gi

/** Sums, products and percentages, with the digits that a floating-point number has. */
function arithmetic(ask: Ask): Answer | undefined {
  const whole = ask.text.length <= 2000 ? ask.text.trim() : ''
  const direct = evaluate(whole.replace(around, ''))
  // A long text is information and not a question: numbers in it are not to be calculated.
  const found =
    direct !== undefined && direct.operators > 0 ? direct : findExpression(ask.instruction)
  return found === undefined ? undefined : expressionAnswer(found)
}

function expressionAnswer({ value, written }: Evaluated): Answer {
  if (Number.isNaN(value)) {
    const text = `${written} has no result, since nothing can be divided by zero.`
    return answerOf('arithmetic', [text], 'undefined')
  }
  const shown = formatNumber(value)
  const sentence = `${written} ${isRounded(value) ? '≈' : '='} ${shown}`
  const others = [`The answer is ${shown}.`, shown, `The result is ${shown}.`]
  return answerOf('arithmetic', [sentence, ...others], shown)
}

const aboutMedia =
  /\b(?:image|picture|photo|photograph|screenshot|drawing|logo|audio|recording|sound|clip|speech|voice|song|music|video|film|movie|see|hear|shown|describe|transcribe|caption|pixels?|wide|width|height|tall|dimensions?|resolution|colou?rs?|bright|dark|format|duration|how long|loud|channels?|sample rate)\b|^\s*(?:what(?:'s| is| are) (?:this|that|it|these|in (?:this|it|here))|what do you (?:see|hear))/i

/** Describes what was measured of the images, audio and videos of the last turn. Documents are texts and are read as such. */
function describeMedia({ conversation, text, instruction }: Ask): Answer | undefined {
  const media = lastUserTurn(conversation)?.media.filter(({ kind }) => kind !== 'document') ?? []
  if (media.length === 0 || (text.trim() !== '' && !aboutMedia.test(instruction))) return undefined
  const described = media.map(({ description }) => description).join('\n')
  return answerOf('describe-media', [described], described)
}

/** Used if no skill applies: says what the engine is, and how to connect a model. */
export const fallback: Answer = {
  skill: 'none',
  phrasings: [
    "I am Sluice's built-in engine, which computes its answers without neural weights, and this request needs a language model: set a provider key such as OPENAI_API_KEY or add a provider to sluice.yaml to connect one.",
    'This needs a language model, and I am only the built-in engine of Sluice, which has no neural weights: to connect a model, set a provider key such as OPENAI_API_KEY or add a provider to sluice.yaml.',
    "Sluice's built-in engine has no neural weights and cannot answer this: connect a language model by setting a provider key such as OPENAI_API_KEY or by adding a provider to sluice.yaml.",
  ],
  evidence: [],
}
