import type { Fields } from '@sluice/contract'
import { reportUnsupported } from '../../report-unsupported.ts'
import { type Effort, effortOf, nearestEffort } from '../../efforts.ts'
import type { ChatFamily } from '../../families/chat-models.ts'
import type { Reports } from '../../native-target.ts'

interface ThinkingContext {
  readonly family: ChatFamily
  /**
   * Whether the upstream itself has a budget in tokens. A positive one is sent unchanged; others have no meaning there. Default
   * false.
   */
  readonly knowsBudget?: boolean
  readonly context: Reports
}

/** What says how much to think, and whether there are tools. */
interface Asked {
  readonly reasoning_effort?: Effort | null | undefined
  readonly thinking_budget?: number | null | undefined
  readonly tools?: readonly unknown[] | null | undefined
}

/** `reasoning_effort` and `thinking_budget` in the form that the model accepts. OpenAI supports only efforts. */
export function thinkingFields(request: Asked, place: ThinkingContext): Fields {
  const { thinking_budget: budget, reasoning_effort: given, tools } = request
  const { family, knowsBudget = false, context } = place
  if (budget != null && budget > 0 && knowsBudget) {
    reportUnsupported('reasoning_effort', given, context, 'the thinking budget says how much')
    return { reasoning_effort: undefined }
  }
  const { efforts, toolsWithoutEffort } = family
  const asked = given ?? (budget == null ? undefined : effortOf(budget))
  const written = given == null ? 'thinking_budget' : 'reasoning_effort'
  if (efforts?.length === 0) {
    reportUnsupported('reasoning_effort', given, context, 'this model does not reason')
    reportUnsupported('thinking_budget', budget, context, 'this model does not reason')
    return without
  }
  if (toolsWithoutEffort === true && tools?.length) {
    if (asked !== undefined && asked !== 'none')
      context.leftOut(written, 'this model takes tools only without an effort')
    return { ...without, reasoning_effort: 'none' }
  }
  if (asked === undefined) return without
  if (efforts === undefined) return { ...without, reasoning_effort: asked }
  if (asked === 'none' && !efforts.includes(asked))
    context.leftOut(written, 'this model always thinks')
  return { ...without, reasoning_effort: nearestEffort(asked, efforts) }
}

const without: Fields = { thinking_budget: undefined, reasoning_effort: undefined }
