import type { ThinkingBlock } from '@sluice/contract'

/** Assembles the thinking blocks of one choice from a stream. */
export interface SignedBlocks {
  /** Returns the blocks that are complete with these pieces, and the text of incomplete ones. */
  read(pieces: readonly ThinkingBlock[]): {
    readonly blocks: readonly ThinkingBlock[]
    readonly text: string
  }
}

/**
 * LiteLLM streams a block of Claude's in unsigned pieces. The signature comes in a last piece, with no text, the last part of
 * the text or all of it again (BerriAI/litellm#29428). A model does not accept a block without its signature.
 */
export function createSignedBlocks(): SignedBlocks {
  let received = ''

  function whole(block: ThinkingBlock): ThinkingBlock {
    const { thinking = '' } = block
    const text = thinking.startsWith(received) ? thinking : received + thinking
    received = ''
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
          received += piece.thinking ?? ''
        }
      }
      return { blocks, text }
    },
  }
}
