import { formatJson, noUsage, type Usage } from '@sluice/contract'
import { formatUsage } from '../usage.ts'

/** For English text. */
const charactersPerToken = 4

/**
 * The usage in the fragments of a streamed response, which Google's have in each: clients skip a fragment without it. Before
 * the upstream has told all of it, the input is what such a request usually has, and the output is estimated by the length of
 * the text.
 */
export class StreamedUsage {
  readonly #expectedInput: () => number
  #said: Usage = noUsage
  /** Whether the upstream told the usage for the fragment that follows, which then includes the text of that fragment. */
  #isFresh = false
  /** Length of the text since the upstream told the usage, in UTF-16 units. */
  #length = 0
  /** What stands around the two numbers that grow; made when the usage is told. */
  #around: Around | undefined

  constructor(expectedInput: () => number) {
    this.#expectedInput = expectedInput
  }

  tell(usage: Usage): void {
    this.#said = usage
    this.#isFresh = true
    this.#length = 0
    this.#around = undefined
  }

  /** The JSON for a fragment with so much text. */
  with(length: number): string {
    if (this.#isFresh) this.#isFresh = false
    else this.#length += length
    const { before, behind, candidates, total } = (this.#around ??= aroundOf(this.#soFar()))
    const more = Math.ceil(this.#length / charactersPerToken)
    return `${before}${candidates + more},"totalTokenCount":${total + more}${behind}`
  }

  /** The JSON for the last fragment: what the upstream told last, if it told anything. */
  last(): string {
    return this.#said === noUsage ? this.with(0) : formatJson(formatUsage(this.#said))
  }

  #soFar(): Usage {
    if (this.#said.inputTokens > 0) return this.#said
    return { ...this.#said, inputTokens: this.#expectedInput() }
  }
}

interface Around {
  readonly before: string
  readonly behind: string
  readonly candidates: number
  readonly total: number
}

function aroundOf(usage: Usage): Around {
  const { promptTokenCount, candidatesTokenCount, totalTokenCount, ...others } = formatUsage(usage)
  const further = formatJson(others)
  return {
    before: `{"promptTokenCount":${promptTokenCount},"candidatesTokenCount":`,
    behind: further === '{}' ? '}' : `,${further.slice(1)}`,
    candidates: candidatesTokenCount,
    total: totalTokenCount,
  }
}
