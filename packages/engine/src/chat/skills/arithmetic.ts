import { type Answer, type Ask, answerOf, type Skill } from '../ask/ask.ts'
import { type Evaluated, evaluate, findExpression } from '../math/expression.ts'
import { formatQuantity, isRounded, type Quantity, toNumber } from '../math/rational.ts'

/** Expressions, exactly if decimals allow it. */
export const arithmetic: Skill = {
  name: 'arithmetic',
  answer: expression,
}

const preamble =
  /^(?:(?:please|can you|could you|hey|hi|hello|so|ok|okay|now|and|then|quick|question|q|what(?:'s| is| are| does| do| would)?|how much (?:is|are)|how many (?:is|are)|calculate|compute|evaluate|solve|work out|figure out|find|determine|simplify|tell me|give me|the|result of|value of|answer to|answer|sum)[\s,:]+)+/i
const ending =
  /(?:[\s,]*(?:=|equals?|equal to|is|make|come to|\?|!|\.|please|\b(?:in total|exactly|step by step|show your work)\b))+$/i

function expression(ask: Ask): Answer | undefined {
  const whole = ask.text.length <= 2000 ? ask.text.trim() : ''
  const bare = whole.replace(preamble, '').replace(ending, '').trim()
  const direct = bare === '' ? undefined : evaluate(bare)
  const found =
    direct !== undefined && direct.operators > 0 ? direct : findExpression(searched(ask))
  return found === undefined ? undefined : expressionAnswer(found)
}

/** A long text is information and not a question: numbers in it are not to be calculated. */
function searched(ask: Ask): string {
  if (ask.passage === '') return ask.instruction
  return ask.passage.length < 200 &&
    /\b(?:calculate|compute|evaluate|solve|expression|work out)\b/i.test(ask.instruction)
    ? `${ask.instruction}; ${ask.passage}`
    : ask.instruction
}

function expressionAnswer({ value, written }: Evaluated): Answer {
  return Number.isNaN(toNumber(value)) ? undefinedResult(written) : result(written, value)
}

function undefinedResult(written: string): Answer {
  const reason = written.includes('÷')
    ? 'since nothing can be divided by zero'
    : 'in the real numbers'
  const text = `${written} has no result, ${reason}.`
  return answerOf('arithmetic', [text], 'undefined', [written])
}

function result(written: string, value: Quantity): Answer {
  const shown = formatQuantity(value)
  const sentence = `${written} ${isRounded(value) ? '≈' : '='} ${shown}`
  const others = [`The answer is ${shown}.`, shown, `The result is ${shown}.`]
  return answerOf('arithmetic', [sentence, ...others], shown, [sentence])
}
