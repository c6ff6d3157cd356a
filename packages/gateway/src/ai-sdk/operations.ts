import {
  GatewayError,
  listOf,
  noUsage,
  type OperationName,
  objectOf,
  type RequestOf,
  type ResultOf,
  type Usage,
} from '@sluice/contract'
import { applyDecisions, type Decisions } from '@sluice/protocols/decisions.ts'
import { embeddingReply, inputTexts } from '@sluice/protocols/embedding-reply.ts'
import type { Decoded } from '@sluice/protocols/protocol.ts'
import { renderTranscript } from '@sluice/protocols/rendered-transcript.ts'
import { documentTexts, rerankReply } from '@sluice/protocols/rerank.ts'
import {
  usualEmbed,
  usualImages,
  usualRerank,
  usualTranscribe,
} from '@sluice/protocols/usual-decisions.ts'
import { chatReply, readUsage } from './chat-reply.ts'
import { callOptions, refuseWarned } from './chat-request.ts'
import { chatEvents } from './chat-stream.ts'
import type { AiSdkContext, AiSdkOperation, AiSdkProvider } from './context.ts'
import { aiSdkError } from './errors.ts'
import { withFittedTools } from './fitted-tools.ts'
import type {
  EmbeddingModelV4,
  ImageModelV4,
  LanguageModelV4,
  ProviderV4,
  RerankingModelV4,
  SpeechModelV4,
  TranscriptionModelV4,
} from './model.ts'

/** The operations for which the provider has models. */
export function operationsOf(provider: ProviderV4): AiSdkProvider {
  const { languageModel, embeddingModel, rerankingModel } = provider
  const { imageModel, transcriptionModel, speechModel } = provider
  return {
    ...(languageModel && { chat: withFittedTools(operation(languageModel.bind(provider), chat)) }),
    ...(embeddingModel && { embed: operation(embeddingModel.bind(provider), embed) }),
    ...(rerankingModel && { rerank: operation(rerankingModel.bind(provider), rerank) }),
    ...(imageModel && { createImage: operation(imageModel.bind(provider), createImage) }),
    ...(transcriptionModel && {
      transcribe: operation(transcriptionModel.bind(provider), transcribe),
    }),
    ...(speechModel && { speak: operation(speechModel.bind(provider), speak) }),
  }
}

type Run<O extends OperationName, Model> = (
  model: Model,
  request: RequestOf<O>,
  context: AiSdkContext,
) => Promise<ResultOf<O>>

/** An operation of the models of one kind. It throws GatewayError, also for other versions of the specification. */
function operation<
  O extends OperationName,
  Model extends { readonly specificationVersion: string },
>(models: (id: string) => Model, run: Run<O, Model>): AiSdkOperation<O> {
  return async (request, context) => {
    try {
      const model = models(context.target)
      if (model.specificationVersion !== 'v4')
        throw new GatewayError(
          'not_implemented',
          `The provider package implements specification ${model.specificationVersion}; v4 (AI SDK 7) is needed`,
        )
      return await run(model, request, context)
    } catch (thrown) {
      throw aiSdkError(thrown)
    }
  }
}

function replied<O extends OperationName>({ reply, usage = noUsage }: Decoded<O>) {
  return { kind: 'reply' as const, reply, usage }
}

function cancellable({ signal }: AiSdkContext) {
  return { abortSignal: signal, providerOptions: {} }
}

const chat: Run<'chat', LanguageModelV4> = async (model, request, context) => {
  const options = await callOptions(request, (await model.supportedUrls) ?? {}, context)
  const warned = (warnings: unknown) => refuseWarned(listOf(warnings), request, context)
  if (request.stream === true) {
    const { stream } = await model.doStream(options)
    return { kind: 'events', events: chatEvents(stream, context, warned) }
  }
  const result = objectOf(await model.doGenerate(options))
  warned(result['warnings'])
  const reply = chatReply(result, context)
  return { kind: 'reply', reply, usage: readUsage(result['usage']) ?? noUsage }
}

const embedDecisions: Decisions<'embed'> = {
  ...usualEmbed,
  dimensions: 'refused',
  input_type: 'refused',
}

const embed: Run<'embed', EmbeddingModelV4> = async (model, request, context) => {
  const values = inputTexts(request)
  if (values === undefined) context.unsupported('input', 'the AI SDK takes texts, not token ids')
  applyDecisions('embed', request, embedDecisions, context)
  const result = await model.doEmbed({ values: values ?? [], ...cancellable(context) })
  const tokens = result.usage?.tokens
  const usage = tokens === undefined ? undefined : { inputTokens: tokens, outputTokens: 0 }
  const publicModel = context.model
  return replied<'embed'>(embeddingReply(result.embeddings, usage, request, { publicModel }))
}

const rerankDecisions: Decisions<'rerank'> = {
  ...usualRerank,
  max_chunks_per_doc: 'refused',
  max_tokens_per_doc: 'refused',
}

const rerank: Run<'rerank', RerankingModelV4> = async (model, request, context) => {
  applyDecisions('rerank', request, rerankDecisions, context)
  const { ranking } = await model.doRerank({
    documents: { type: 'text', values: documentTexts(request) },
    query: request.query,
    ...(request.top_n == null ? {} : { topN: request.top_n }),
    ...cancellable(context),
  })
  const naming = { newId: context.newId, publicModel: context.model }
  return replied<'rerank'>(rerankReply({ results: ranking }, request, naming))
}

const imageDecisions: Decisions<'createImage'> = {
  ...usualImages,
  input: 'refused',
  parameters: 'refused',
  style: 'refused',
  output_format: 'refused',
  output_compression: 'refused',
  stream: 'refused',
}

const createImage: Run<'createImage', ImageModelV4> = async (model, request, context) => {
  applyDecisions('createImage', request, imageDecisions, context)
  if (request.response_format === 'url')
    context.unsupported('response_format', 'the AI SDK gives images as base64')
  const { prompt, n, size, seed } = request
  const { images } = await model.doGenerate({
    prompt: prompt ?? undefined,
    n: n ?? 1,
    size: size == null || size === 'auto' ? undefined : size.replace('*', 'x'),
    aspectRatio: undefined,
    seed: seed ?? undefined,
    files: undefined,
    mask: undefined,
    ...cancellable(context),
  })
  const data = images.map((image) => ({
    url: null,
    b64_json: typeof image === 'string' ? image : Buffer.from(image).toString('base64'),
    revised_prompt: null,
  }))
  const reply = { created: Math.floor(context.now() / 1000), data }
  return { kind: 'reply', reply, usage: { ...noUsage, images: data.length } }
}

const transcribeDecisions: Decisions<'transcribe'> = {
  ...usualTranscribe,
  language: 'refused',
  prompt: 'refused',
  stream: 'gateway',
  languages: 'refused',
  keywords: 'refused',
}

const transcribe: Run<'transcribe', TranscriptionModelV4> = async (model, request, context) => {
  applyDecisions('transcribe', request, transcribeDecisions, context)
  if (request.temperature) context.leftOut('temperature')
  const { file } = request
  const heard = await model.doGenerate({
    audio: file.bytes,
    mediaType: file.contentType,
    ...cancellable(context),
  })
  const transcript = {
    text: heard.text,
    language: heard.language,
    duration: heard.durationInSeconds,
    words: [],
    cues: (heard.segments ?? []).map(({ text, startSecond: start, endSecond: end }) => ({
      start,
      end,
      text,
    })),
  }
  const { reply, rendered, usage } = renderTranscript(transcript, request)
  if (rendered === undefined || request.stream === true)
    return { kind: 'reply', reply, usage: usage ?? noUsage }
  return bytesOf(rendered.bytes, rendered.contentType, usage)
}

const speechTypes: Readonly<Record<string, string>> = {
  mp3: 'audio/mpeg',
  opus: 'audio/ogg',
  aac: 'audio/aac',
  flac: 'audio/flac',
  wav: 'audio/wav',
  pcm: 'audio/pcm',
}

const speakDecisions: Decisions<'speak'> = {
  model: 'sent',
  input: 'sent',
  voice: 'sent',
  instructions: 'sent',
  response_format: 'sent',
  speed: 'sent',
  stream_format: 'refused',
}

const speak: Run<'speak', SpeechModelV4> = async (model, request, context) => {
  applyDecisions('speak', request, speakDecisions, context)
  const { voice, instructions, speed } = request
  const format = request.response_format ?? 'mp3'
  const named = typeof voice === 'object' ? voice?.id : voice
  const { audio } = await model.doGenerate({
    text: request.input,
    outputFormat: format,
    ...(named == null ? {} : { voice: named }),
    ...(instructions == null ? {} : { instructions }),
    ...(speed == null ? {} : { speed }),
    ...cancellable(context),
  })
  const bytes = typeof audio === 'string' ? Buffer.from(audio, 'base64') : audio
  return bytesOf(bytes, speechTypes[format] ?? 'application/octet-stream')
}

function bytesOf(bytes: Uint8Array, contentType: string, usage: Usage = noUsage) {
  async function* body() {
    yield bytes
  }
  return { kind: 'bytes' as const, contentType, body: body(), length: bytes.length, usage }
}
