// What the official SDKs can send is known: for each parameter it is decided what happens where a target does not have it.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TObject } from 'typebox'
import { describe, expect, it } from 'vitest'
import { operations } from '../../contract/src/operations/index.ts'
import { CountTokensRequest, MessagesRequest } from '../src/anthropic/client/schema.ts'
import { furtherFields } from '../src/further-fields.ts'
import { configFields, requestFields } from '../src/gemini/client/fields.ts'
import { partMembers } from '../src/gemini/part-members.ts'
import {
  CountTokensRequest as GeminiCount,
  EmbedContentRequest,
  GenerateContentRequest,
  GenerationConfig,
} from '../src/gemini/client/schema.ts'
import { ChatCompletionRequest, CompletionRequest } from '../src/openai/client/schema.ts'
import { CompactRequest, ResponsesRequest } from '../src/openai-responses/client/schema.ts'

const modules = join(import.meta.dirname, '../../../node_modules')

/** The members of an interface in a declaration, without those that are sent as headers. */
function membersOf(file: string, name: string): readonly string[] {
  const source = readFileSync(join(modules, file), 'utf8').replaceAll('\r\n', '\n')
  const declared = new RegExp(
    `^export (?:declare )?interface ${name}\\b[^{]*(?:<[^]*?> )?\\{\\n([^]*?)^\\}`,
    'm',
  )
  const [, body = ''] = declared.exec(source) ?? []
  const member = /((?:^ +\/\*\*(?:(?!\*\/)[^])*\*\/\n)?)^(?: {2}| {4})'?(\w+)'?\??: /gm
  return [...body.matchAll(member)].flatMap(([, comment = '', own = '']) =>
    comment.includes('Header param:') ? [] : [own],
  )
}

const fieldsOf = (...schemas: readonly TObject[]) =>
  schemas.flatMap(({ properties }) => Object.keys(properties))
const operationFields = (name: keyof typeof operations) => [
  ...fieldsOf(operations[name].request as TObject),
  ...Object.keys(furtherFields[name] ?? {}),
]

const claude = '@anthropic-ai/sdk/src/resources/messages/messages.ts'
const claudeBeta = '@anthropic-ai/sdk/src/resources/beta/messages/messages.ts'
const openai = (file: string) => `openai/src/resources/${file}.ts`
const genai = '@google/genai/dist/genai.d.ts'

/** Settings of the library itself, which it does not send. */
const ofLibrary = [
  'httpOptions',
  'abortSignal',
  'automaticFunctionCalling',
  'automaticContinuation',
]
/** For media, on Vertex AI alone. */
const ofMedia = ['mimeType', 'documentOcr', 'audioTrackExtraction']

const known: readonly (readonly [file: string, type: string, fields: readonly string[]])[] = [
  [claude, 'MessageCreateParamsBase', fieldsOf(MessagesRequest)],
  [claude, 'MessageCountTokensParams', fieldsOf(CountTokensRequest)],
  [claudeBeta, 'MessageCreateParamsBase', fieldsOf(MessagesRequest)],
  [claudeBeta, 'MessageCountTokensParams', fieldsOf(CountTokensRequest)],
  [
    openai('chat/completions/completions'),
    'ChatCompletionCreateParamsBase',
    [...fieldsOf(ChatCompletionRequest), ...operationFields('chat')],
  ],
  [openai('completions'), 'CompletionCreateParamsBase', fieldsOf(CompletionRequest)],
  [openai('embeddings'), 'EmbeddingCreateParams', operationFields('embed')],
  [openai('moderations'), 'ModerationCreateParams', operationFields('moderate')],
  [openai('images'), 'ImageGenerateParamsBase', operationFields('createImage')],
  [openai('images'), 'ImageEditParamsBase', operationFields('editImage')],
  [openai('audio/speech'), 'SpeechCreateParams', operationFields('speak')],
  [openai('audio/transcriptions'), 'TranscriptionCreateParamsBase', operationFields('transcribe')],
  [openai('audio/translations'), 'TranslationCreateParams', operationFields('translate')],
  [openai('videos'), 'VideoCreateParams', operationFields('createVideo')],
  [openai('responses/responses'), 'ResponseCreateParamsBase', fieldsOf(ResponsesRequest)],
  [openai('responses/responses'), 'ResponseCompactParams', fieldsOf(CompactRequest)],
  [
    genai,
    'GenerateContentConfig',
    [...fieldsOf(GenerateContentRequest, GenerationConfig), ...ofLibrary],
  ],
  [genai, 'GenerationConfig', fieldsOf(GenerationConfig)],
  [genai, 'CountTokensConfig', [...fieldsOf(GeminiCount), ...ofLibrary]],
  [genai, 'EmbedContentConfig', [...fieldsOf(EmbedContentRequest), ...ofLibrary, ...ofMedia]],
  [genai, 'Part', Object.keys(partMembers)],
]

describe('parameters of the SDKs', () => {
  it.each(known)('%s: all fields of %s are known', (file, type, fields) => {
    const members = membersOf(file, type)
    expect(members.length).toBeGreaterThan(1)
    expect(members.filter((name) => !fields.includes(name))).toEqual([])
  })

  it('are read from the declarations', () => {
    expect(membersOf(claudeBeta, 'MessageCreateParamsBase')).toEqual(
      expect.arrayContaining(['max_tokens', 'thread', 'fallbacks', 'tools']),
    )
    expect(membersOf(claudeBeta, 'MessageCreateParamsBase')).not.toContain('betas')
    expect(membersOf(genai, 'GenerationConfig')).toContain('routingConfig')
    expect(membersOf(openai('audio/transcriptions'), 'TranscriptionCreateParamsBase')).toContain(
      'keywords',
    )
  })

  it('are decided once', () => {
    const listed = Object.entries(furtherFields).flatMap(([name, fields]) => {
      const own = name === 'chat' ? ChatCompletionRequest : operations[name as 'chat'].request
      return Object.keys(fields).filter((field) => field in own.properties)
    })
    expect(listed).toEqual([])
    for (const field of [...Object.keys(requestFields), ...Object.keys(configFields)])
      expect(fieldsOf(GenerateContentRequest, GenerationConfig)).toContain(field)
  })
})
