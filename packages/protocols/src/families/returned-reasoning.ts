import { remembered } from './remembered.ts'

/**
 * Whether a model refuses a conversation in which its earlier answers with calls come without the reasoning before them, whoever gave
 * them: 400 "must be passed back" or "reasoning_content is missing in assistant tool call message" (anomalyco/opencode#25000,
 * decolua/9router#2397, YishenTu/claudian#759). Reasoning without words is enough.
 */
export const demandsReasoning = remembered((name) =>
  /deepseek-v[4-9]|kimi-(?:k2\.[5-9]|k2-thinking|k[3-9]|for-coding)/i.test(name),
)

/**
 * Whether it is a model of another maker whose Messages API gives and takes thinking without a signature. Claude refuses it, and so
 * may a model whose name tells nothing (NousResearch/hermes-agent#17992; DeepSeek, Moonshot, MiniMax, Z.ai and Alibaba: Anthropic API).
 */
export const takesUnsignedThinking = remembered((name) =>
  /deepseek|kimi|minimax|glm-\d|qwen|mimo|step-\d|doubao|hunyuan|ernie|longcat/i.test(name),
)
