import { type ChatRequest, invalidRequest, listOf, objectOf } from '@sluice/contract'
import { isReasoningPath } from '../../message-places.ts'
import type { ClientFormat, FormatContext } from '../../client-format.ts'
import { textsNamed } from '../../streamed-texts.ts'
import { geminiError } from './error.ts'
import { nameLeftOut } from './fields.ts'
import { pick } from '../spelling.ts'
import { contentDefaults } from './default-places.ts'
import { contentLimit, measureContent } from './measure.ts'
import { chatRequestOf, paramOfChat, pathInContents } from './request.ts'
import { methodPaths } from './paths.ts'
import { plainMessages } from './plain-messages.ts'
import { contentReply } from './reply.ts'
import { respellContents } from './respell.ts'
import {
  CountTokensReply,
  CountTokensRequest,
  GenerateContentReply,
  GenerateContentRequest,
} from './schema.ts'
import { ContentWriter } from './stream.ts'

const tag = 'Gemini'

function generationOf(request: unknown, context: FormatContext): ChatRequest {
  const fields = objectOf(request)
  nameLeftOut(GenerateContentRequest, fields, context)
  return chatRequestOf(fields, context)
}

/** The last three are usual names of arguments, which come as objects. */
const textsOf = textsNamed('text', 'name', 'content', 'arguments', 'input')

const example = { contents: [{ role: 'user', parts: [{ text: 'What is 6 times 7?' }] }] }

/** https://ai.google.dev/api/generate-content#method:-models.generatecontent. */
export const generateContent: ClientFormat<'chat'> = {
  id: 'generateContent',
  operation: 'chat',
  summary: 'Generate content',
  tag,
  paths: methodPaths('generateContent'),
  request: GenerateContentRequest,
  reply: GenerateContentReply,
  example,
  measure: measureContent,
  outputLimit: contentLimit,
  defaulted: contentDefaults,
  continues: 'none',
  textsOf,
  messages: plainMessages,
  streams: false,
  modelIn: 'path',
  prefixOf(request) {
    const { tools, systemInstruction, contents } = objectOf(request)
    return [tools, systemInstruction, listOf(contents).slice(0, 2)]
  },
  respell: respellContents,
  toCanonical: generationOf,
  fromCanonical: contentReply,
  error: geminiError,
  paramOf: (canonical, request) =>
    pathInContents(canonical, request) ??
    (isReasoningPath(canonical) ? undefined : paramOfChat(canonical, request)),
}

/** https://ai.google.dev/api/generate-content#method:-models.streamgeneratecontent. */
export const streamGenerateContent: ClientFormat<'chat'> = {
  ...generateContent,
  id: 'streamGenerateContent',
  summary: 'Stream generated content',
  paths: methodPaths('streamGenerateContent'),
  streams: true,
  toCanonical: (request, context) => ({
    ...generationOf(request, context),
    stream: true,
  }),
  writer: (request, context, query) => new ContentWriter(request, query, context),
}

/** https://ai.google.dev/api/tokens: counts the tokens of contents alone, or of a whole request. */
export const countTokens: ClientFormat<'chat'> = {
  ...generateContent,
  id: 'countTokens',
  summary: 'Count the tokens of a request',
  paths: methodPaths('countTokens'),
  request: CountTokensRequest,
  reply: CountTokensReply,
  outputLimit: 'none',
  messages: 'none',
  toCanonical(request, context) {
    const fields = objectOf(request)
    nameLeftOut(CountTokensRequest, fields, context)
    const whole = pick(fields, 'generateContentRequest')
    if ((whole === undefined) === (fields['contents'] == null))
      throw invalidRequest('Give either contents or generateContentRequest', 'contents')
    if (whole === undefined) return chatRequestOf(fields, context)
    const inner = { ...objectOf(whole), model: fields['model'] }
    return chatRequestOf(inner, context, 'generateContentRequest.')
  },
  fromCanonical: ({ usage }) => ({ totalTokens: usage.prompt_tokens }),
  counted: (tokens) => ({ totalTokens: tokens }),
}
