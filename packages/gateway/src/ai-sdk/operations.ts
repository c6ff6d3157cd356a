import {
  type CreateImageRequest,
  GatewayError,
  listOf,
  type OperationName,
  objectOf,
  type ReplyOf,
  type Usage,
} from '@sluice/contract'
import {
  applyDecisions,
  type Decisions,
  type Decoded,
  documentTexts,
  embeddingReply,
  inputTexts,
  renderTranscript,
  rerankReply,
  usualEmbed,
  usualImages,
  usualRerank,
  usualTranscribe,
} from '@sluice/protocols'
import { chatReply, readUsage } from './chat-reply.ts'
import { callOptions, refuseWarned } from './chat-request.ts'
import { chatEvents } from './chat-stream.ts'
import type { AiSdkContext, AiSdkProvider } from './context.ts'
import { withFittedTools } from './fitted-tools.ts'
import type { ProviderV4 } from './model.ts'

const noUsage: Usage = { inputTokens: 0, outputTokens: 0 }

/** The operations for which the provider has models. */
export function operationsOf(provider: ProviderV4): AiSdkProvider {
  return {
    ...(provider.languageModel && {
      chat: withFittedTools(chatWith(provider.languageModel.bind(provider))),
    }),
    ...(provider.embeddingModel && { embed: embedWith(provider.embeddingModel.bind(provider)) }),
    ...(provider.rerankingModel && { rerank: rerankWith(provider.rerankingModel.bind(provider)) }),
    ...(provider.imageModel && { createImage: imagesWith(provider.imageModel.bind(provider)) }),
    ...(provider.transcriptionModel && {
      transcribe: transcribeWith(provider.transcriptionModel.bind(provider)),
    }),
    ...(provider.speechModel && { speak: speakWith(provider.speechModel.bind(provider)) }),
  }
}

type Models<N extends keyof ProviderV4> = NonNullable<ProviderV4[N]>

/** Finds a model by name; other versions of the specification are refused. */
function modelOf<M extends { readonly specificationVersion: string }>(
  models: (id: string) => M,
  { upstreamModel }: AiSdkContext,
): M {
  const model = models(upstreamModel)
  if (model.specificationVersion !== 'v4')
    throw new GatewayError(
      'not_implemented',
      `The provider package implements specification ${model.specificationVersion}; v4 (AI SDK 7) is needed`,
    )
  return model
}

function replied<O extends OperationName>({
  reply,
  usage = noUsage,
}: Decoded<O>): {
  readonly kind: 'reply'
  readonly reply: ReplyOf<O>
  readonly usage: Usage
} {
  return { kind: 'reply', reply, usage }
}

function cancellable({ signal }: AiSdkContext) {
  return { abortSignal: signal, providerOptions: {} }
}

function chatWith(models: Models<'languageModel'>): NonNullable<AiSdkProvider['chat']> {
  return async (request, context) => {
    const model = modelOf(models, context)
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
}

const embedDecisions: Decisions<'embed'> = {
  ...usualEmbed,
  dimensions: 'refused',
  input_type: 'refused',
}

function embedWith(models: Models<'embeddingModel'>): NonNullable<AiSdkProvider['embed']> {
  return async (request, context) => {
    const values = inputTexts(request)
    if (values === undefined) context.unsupported('input', 'the AI SDK takes texts, not token ids')
    applyDecisions('embed', request, embedDecisions, context)
    const model = modelOf(models, context)
    const result = await model.doEmbed({ values: values ?? [], ...cancellable(context) })
    const tokens = result.usage?.tokens
    const usage = tokens === undefined ? undefined : { inputTokens: tokens, outputTokens: 0 }
    const publicModel = context.model
    return replied<'embed'>(embeddingReply(result.embeddings, usage, request, { publicModel }))
  }
}

const rerankDecisions: Decisions<'rerank'> = {
  ...usualRerank,
  max_chunks_per_doc: 'refused',
  max_tokens_per_doc: 'refused',
}

function rerankWith(models: Models<'rerankingModel'>): NonNullable<AiSdkProvider['rerank']> {
  return async (request, context) => {
    applyDecisions('rerank', request, rerankDecisions, context)
    const { ranking } = await modelOf(models, context).doRerank({
      documents: { type: 'text', values: documentTexts(request) },
      query: request.query,
      ...(request.top_n == null ? {} : { topN: request.top_n }),
      ...cancellable(context),
    })
    const naming = { newId: context.newId, publicModel: context.model }
    return replied<'rerank'>(rerankReply({ results: ranking }, request, naming))
  }
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

function imagesWith(models: Models<'imageModel'>): NonNullable<AiSdkProvider['createImage']> {
  return async (request, context) => {
    refuseImageOptions(request, context)
    const { prompt, n, size, seed } = request
    const { images } = await modelOf(models, context).doGenerate({
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
}

function refuseImageOptions(request: CreateImageRequest, context: AiSdkContext): void {
  applyDecisions('createImage', request, imageDecisions, context)
  if (request.response_format === 'url')
    context.unsupported('response_format', 'the AI SDK gives images as base64')
}

const transcribeDecisions: Decisions<'transcribe'> = {
  ...usualTranscribe,
  language: 'refused',
  prompt: 'refused',
  stream: 'gateway',
  languages: 'refused',
  keywords: 'refused',
}

function transcribeWith(
  models: Models<'transcriptionModel'>,
): NonNullable<AiSdkProvider['transcribe']> {
  return async (request, context) => {
    applyDecisions('transcribe', request, transcribeDecisions, context)
    if (request.temperature) context.leftOut('temperature')
    const { file } = request
    const heard = await modelOf(models, context).doGenerate({
      audio: file.bytes,
      mediaType: file.contentType,
      ...cancellable(context),
    })
    const cues = (heard.segments ?? []).map(({ text, startSecond: start, endSecond: end }) => ({
      start,
      end,
      text,
    }))
    const { reply, rendered, usage } = renderTranscript(
      {
        text: heard.text,
        language: heard.language,
        duration: heard.durationInSeconds,
        words: [],
        cues,
      },
      request,
    )
    if (rendered === undefined || request.stream === true)
      return { kind: 'reply', reply, usage: usage ?? noUsage }
    return bytesOf(rendered.bytes, rendered.contentType, usage)
  }
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

function speakWith(models: Models<'speechModel'>): NonNullable<AiSdkProvider['speak']> {
  return async (request, context) => {
    applyDecisions('speak', request, speakDecisions, context)
    const { voice, instructions, speed } = request
    const format = request.response_format ?? 'mp3'
    const named = typeof voice === 'object' ? voice?.id : voice
    const { audio } = await modelOf(models, context).doGenerate({
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
}

function bytesOf(bytes: Uint8Array, contentType: string, usage: Usage = noUsage) {
  async function* body() {
    yield bytes
  }
  return { kind: 'bytes' as const, contentType, body: body(), length: bytes.length, usage }
}
