import { AnyObject, type Fields, oneOf, optional, Type } from '@sluice/contract'
import type { TObject, TSchema } from 'typebox'
import { configFields, requestFields } from './fields.ts'
import { geminiToolNames } from '../../tools/offered-server-tools.ts'
import { snakeCase } from '../letter-case.ts'

/** An object whose fields are all optional and may be written in camel case or in snake case. */
function message(fields: Readonly<Record<string, TSchema>>): TObject {
  const both = Object.entries(fields).flatMap(([name, schema]) => [
    [name, optional(schema)],
    [snakeCase(name), optional(schema)],
  ])
  return Type.Object(Object.fromEntries(both))
}

/** The words as documented, and in the other cases that Google's own examples use. */
function anyCase(words: readonly string[]): TSchema {
  const forms = words.flatMap((word) => [
    word,
    word.toLowerCase(),
    word.charAt(0) + word.slice(1).toLowerCase(),
  ])
  return oneOf(forms)
}

/** Fields that are not read, in any form. */
function undecided(fields: Fields): Record<string, TSchema> {
  return Object.fromEntries(Object.keys(fields).map((name) => [name, Type.Unknown()]))
}

const text = Type.String()
const texts = Type.Array(text)
const flag = Type.Boolean()
const count = Type.Integer({ minimum: 1 })

const Part = message({
  text,
  thought: flag,
  thoughtSignature: text,
  inlineData: message({ mimeType: text, data: text, displayName: text }),
  fileData: message({ mimeType: text, fileUri: text, displayName: text }),
  functionCall: message({ id: text, name: text, args: AnyObject }),
  functionResponse: message({
    id: text,
    name: text,
    response: AnyObject,
    parts: Type.Array(AnyObject),
  }),
  videoMetadata: AnyObject,
  mediaResolution: AnyObject,
  executableCode: AnyObject,
  codeExecutionResult: AnyObject,
  toolCall: AnyObject,
  toolResponse: AnyObject,
})

const parts = Type.Array(Part, { minItems: 1 })

/** `function` and `tool` are the names that Google's own libraries use for the role of results. */
const roles = ['user', 'model', 'function', 'tool']

/** https://ai.google.dev/api/caching#Content. Without a role it belongs to the user. */
const Content = Type.Object({ role: optional(oneOf(roles)), parts })

const SystemInstruction = Type.Object({ role: optional(text), parts })

const FunctionDeclaration = Type.Intersect([
  Type.Object({ name: Type.String({ minLength: 1, maxLength: 128 }) }),
  message({
    description: text,
    parameters: AnyObject,
    parametersJsonSchema: AnyObject,
    response: AnyObject,
    responseJsonSchema: AnyObject,
    behavior: oneOf(['UNSPECIFIED', 'BLOCKING', 'NON_BLOCKING']),
  }),
])

const Tool = message({
  functionDeclarations: Type.Array(FunctionDeclaration, { maxItems: 128 }),
  googleSearch: AnyObject,
  ...Object.fromEntries(geminiToolNames.map((name) => [name, AnyObject])),
})

const ToolConfig = message({
  functionCallingConfig: message({
    mode: anyCase(['MODE_UNSPECIFIED', 'AUTO', 'ANY', 'NONE', 'VALIDATED']),
    allowedFunctionNames: texts,
  }),
  retrievalConfig: AnyObject,
})

/** https://ai.google.dev/api/generate-content#GenerationConfig. */
export const GenerationConfig = message({
  temperature: Type.Number({ minimum: 0, maximum: 2 }),
  topP: Type.Number({ minimum: 0, maximum: 1 }),
  topK: Type.Integer({ minimum: 0 }),
  candidateCount: Type.Integer({ minimum: 1, maximum: 8 }),
  maxOutputTokens: count,
  stopSequences: Type.Array(text),
  seed: Type.Integer(),
  presencePenalty: Type.Number({ minimum: -2, maximum: 2 }),
  frequencyPenalty: Type.Number({ minimum: -2, maximum: 2 }),
  responseLogprobs: flag,
  logprobs: Type.Integer({ minimum: 0, maximum: 20 }),
  responseMimeType: oneOf(['', 'text/plain', 'application/json', 'text/x.enum']),
  responseSchema: AnyObject,
  responseJsonSchema: AnyObject,
  responseModalities: Type.Array(anyCase(['MODALITY_UNSPECIFIED', 'TEXT', 'IMAGE', 'AUDIO'])),
  thinkingConfig: message({
    includeThoughts: flag,
    thinkingBudget: Type.Integer({ minimum: -1 }),
    thinkingLevel: anyCase(['THINKING_LEVEL_UNSPECIFIED', 'MINIMAL', 'LOW', 'MEDIUM', 'HIGH']),
  }),
  speechConfig: AnyObject,
  imageConfig: AnyObject,
  mediaResolution: text,
  audioTimestamp: flag,
  enableEnhancedCivicAnswers: flag,
  ...undecided(configFields),
})

const SafetySetting = Type.Object({ category: text, threshold: text })

const generation = message({
  systemInstruction: SystemInstruction,
  tools: Type.Array(Tool),
  toolConfig: ToolConfig,
  safetySettings: Type.Array(SafetySetting),
  generationConfig: GenerationConfig,
  cachedContent: text,
  serviceTier: text,
  ...undecided(requestFields),
  labels: AnyObject,
  store: flag,
})

const contents = Type.Array(Content, { minItems: 1 })
const model = Type.String({ minLength: 1 })

/** https://ai.google.dev/api/generate-content#request-body. */
export const GenerateContentRequest = Type.Object({ model, contents, ...generation.properties })

/** https://ai.google.dev/api/tokens#request-body: the contents, on Vertex AI with what belongs to them, or a whole request. */
export const CountTokensRequest = Type.Object({
  model,
  contents: optional(contents),
  ...generation.properties,
  ...message({
    generateContentRequest: Type.Object({
      model: optional(text),
      contents,
      ...generation.properties,
    }),
  }).properties,
})

const embedding = {
  content: Type.Object({ role: optional(text), parts }),
  ...message({ taskType: text, title: text, outputDimensionality: count, autoTruncate: flag })
    .properties,
}

/** https://ai.google.dev/api/embeddings. */
export const EmbedContentRequest = Type.Object({ model, ...embedding })

export const BatchEmbedContentsRequest = Type.Object({
  model,
  requests: Type.Array(Type.Object({ model: optional(text), ...embedding }), {
    minItems: 1,
    maxItems: 2048,
  }),
})

const TokenCounts = Type.Record(Type.String(), Type.Unknown())

/** https://ai.google.dev/api/generate-content#v1beta.GenerateContentResponse. */
export const GenerateContentReply = Type.Object({
  candidates: Type.Optional(
    Type.Array(
      Type.Object({
        content: Type.Object({ role: Type.Literal('model'), parts: Type.Array(AnyObject) }),
        finishReason: Type.Optional(text),
        finishMessage: Type.Optional(text),
        index: Type.Integer(),
        logprobsResult: Type.Optional(AnyObject),
        groundingMetadata: Type.Optional(AnyObject),
      }),
    ),
  ),
  usageMetadata: Type.Optional(TokenCounts),
  modelVersion: text,
  responseId: text,
})

export const CountTokensReply = Type.Object({
  totalTokens: Type.Integer(),
  cachedContentTokenCount: Type.Optional(Type.Integer()),
})

const Embedding = Type.Object({ values: Type.Array(Type.Number()) })

export const EmbedContentReply = Type.Object({
  embedding: Embedding,
  usageMetadata: TokenCounts,
})

export const BatchEmbedContentsReply = Type.Object({
  embeddings: Type.Array(Embedding),
  usageMetadata: TokenCounts,
})
