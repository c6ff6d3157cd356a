// Streams of Gemini (https://ai.google.dev/api/generate-content): every event is a whole response with counts that have grown.
import type { Seeded } from './seeded.ts'

function geminiEvents(random: Seeded) {
  const promptTokenCount = random.between(10, 99)
  const thoughtsTokenCount = random.between(100, 999)
  const responseId = random.letters(23)
  let candidatesTokenCount = 0
  return (parts: readonly object[], further: object = {}) => {
    candidatesTokenCount += random.between(1, 9)
    return {
      candidates: [{ content: { parts, role: 'model' }, ...further, index: 0 }],
      usageMetadata: {
        promptTokenCount,
        candidatesTokenCount,
        totalTokenCount: promptTokenCount + candidatesTokenCount + thoughtsTokenCount,
        promptTokensDetails: [{ modality: 'TEXT', tokenCount: promptTokenCount }],
        thoughtsTokenCount,
      },
      modelVersion: 'gemini-3-pro-preview',
      responseId,
    }
  }
}

function texts(random: Seeded, count: number) {
  return random.pieces(count, 2, 9).map((text) => [{ text }])
}

const finished = { finishReason: 'STOP' }

export function geminiText(random: Seeded, length: number): readonly object[] {
  const event = geminiEvents(random)
  const thoughtSignature = random.letters(random.between(1_050, 1_250))
  return [
    ...texts(random, length - 1).map((parts) => event(parts)),
    event([{ text: '', thoughtSignature }], finished),
  ]
}

/** Speaks, and then calls two tools. */
export function geminiTools(random: Seeded, length: number): readonly object[] {
  const event = geminiEvents(random)
  const call = (signatureLength: number) => {
    const functionCall = { name: 'convert', args: { amount: `${random.between(100, 999_999)} m` } }
    return event([{ functionCall, thoughtSignature: random.letters(signatureLength) }])
  }
  return [
    ...texts(random, length - 3).map((parts) => event(parts)),
    call(5_500),
    call(500),
    event([{ text: '' }], finished),
  ]
}
