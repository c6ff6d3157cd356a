import type { ThinkingBlock } from '@sluice/contract'

/** Thinking blocks of one choice as they come together from a stream. */
export interface SignedBlocks {
  /** What is whole with these pieces, and the text of those that are not. */
  read(pieces: readonly ThinkingBlock[]): {
    readonly blocks: readonly ThinkingBlock[]
    readonly text: string
  }
}

/**
 * LiteLLM streams a block of Claude's in unsigned pieces; the signature comes in a last one, beside no text, the last of it
 * or all of it again (BerriAI/litellm#29428). A block without its signature is none that a model takes back.
 */
export function createSignedBlocks(): SignedBlocks {
  let begun = ''

  function whole(block: ThinkingBlock): ThinkingBlock {
    const { thinking = '' } = block
    const text = thinking.startsWith(begun) ? thinking : begun + thinking
    begun = ''
    return { ...block, thinking: text }
  }

  return {
    read(pieces) {
      const blocks: ThinkingBlock[] = []
      let text = ''
      for (const piece of pieces) {
        if (piece.type !== 'thinking') blocks.push(piece)
        else if (piece.signature) blocks.push(whole(piece))
        else {
          text += piece.thinking ?? ''
          begun += piece.thinking ?? ''
        }
      }
      return { blocks, text }
    },
  }
}
