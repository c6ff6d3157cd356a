import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type ErrorCode, type ErrorDetails, GatewayError } from '../../../contract/src/core/errors.ts'
import { type OperationName, operationNames, operations } from '../../../contract/src/operations/index.ts'
import type { Step } from '../../../contract/src/operations/operation.ts'
import { validate } from '../../../contract/src/operations/validate.ts'
import { formats as allFormats } from '../../src/formats.ts'
import { protocols } from '../../src/protocols.ts'
import type { ClientFormat } from '../../src/client-format.ts'
import type { Codec, CodecContext, FormPart, Protocol, UpstreamRequest } from '../../src/protocol.ts'
import type { ServerSentEvent } from '../../../contract/src/wire/sse.ts'
import {
  codecContext,
  countingIds,
  eventsInPieces,
  formatContext,
  received,
} from '../../../../test/support/codec-context.ts'
import {
  foldersIn,
  type GoldenCase,
  goldenCase,
  inputOwner,
  withoutBytes,
} from '../../../../test/support/formats/golden-files.ts'
import { readStream } from '../../../../test/support/formats/read-stream.ts'

// Those that translate: most operations' own say the canonical form itself.
const formats = allFormats.filter(
  ({ operation, request }) => request !== operations[operation].request,
)

// The cases are data of many operations in one walk, so the types of single operations are given up here; the
// schemas check every canonical value instead.
type AnyCodec = Codec<OperationName>
type AnyFormat = ClientFormat

const root = import.meta.dirname
const pieceSizes = [1, 7, 4096]

/** One comparison: made when the case has all of these files. */
interface Check {
  readonly files: readonly string[]
  /** What it reads besides, where that is there. */
  readonly inputs?: readonly string[]
  readonly name: string
  readonly run: () => void | Promise<void>
}

const cases = foldersIn(root)
  .filter(isOperation)
  .flatMap((operation) =>
    foldersIn(join(root, operation)).map((name) => {
      const golden = goldenCase(join(root, operation, name))
      const checks = [
        ...protocols.flatMap((protocol) => checksOfProtocol(golden, operation, protocol)),
        ...formats
          .filter((format) => format.operation === operation)
          .flatMap((format) => checksOfFormat(golden, format)),
      ].filter(({ files }) => files.every((file) => golden.has(file)))
      return { title: `${operation}/${name}`, golden, checks }
    }),
  )

it('finds golden cases in folders named like operations', () => {
  expect(cases.length).toBeGreaterThan(2)
  expect(foldersIn(root).filter((name) => !isOperation(name))).toEqual([])
})

describe.each(cases)('$title', ({ golden, checks }) => {
  it('states the source of its data', () => {
    expect(golden.text('source').trim()).toMatch(/^\S.*\S$/)
  })
  it('has no file without a check', () => {
    const read = new Set(checks.flatMap(({ files, inputs = [] }) => [...files, ...inputs]))
    expect(golden.names().filter((name) => name !== 'source' && !read.has(name))).toEqual([])
  })
  it.each(checks)('$name', ({ run }) => run())
})

function isOperation(name: string): name is OperationName {
  return (operationNames as readonly string[]).includes(name)
}

function requestOf(golden: GoldenCase, operation: OperationName): never {
  const { request: schema, check } = operations[operation]
  const value = validate(schema, golden.json('request.json'))
  check?.(value as never)
  return value as never
}

function checksOfProtocol(
  golden: GoldenCase,
  operation: OperationName,
  protocol: Protocol,
): readonly Check[] {
  const { id } = protocol
  const failure: Check = {
    files: [`${id}.failure.json`],
    inputs: [`${id}.received.${golden.has(`${id}.received.txt`) ? 'txt' : 'json'}`],
    name: `${id}: failure`,
    run: () => {
      const extension = golden.has(`${id}.received.txt`) ? 'txt' : 'json'
      const answer = received(golden.text(`${id}.received.${extension}`), { status: 400 })
      golden.expectJson(`${id}.failure.json`, id, protocol.failure(answer))
    },
  }
  const codec = protocol.codecs[operation] as unknown as AnyCodec | undefined
  if (!codec) return [failure]
  return [
    failure,
    ...checksOfEncode(golden, operation, { id, codec }),
    ...checksOfDecode(golden, operation, { id, codec }),
  ]
}

function checksOfEncode(
  golden: GoldenCase,
  operation: OperationName,
  { id, codec }: { readonly id: string; readonly codec: AnyCodec },
): readonly Check[] {
  const encode = (): object => {
    const dropped: string[] = []
    const request = requestOf(golden, operation)
    const sent = codec.encode(request, contextOf(golden, id, dropped))
    const media = codec.media?.(request) ?? []
    return {
      ...printedRequest(sent),
      ...(media.length > 0 ? { media } : {}),
      ...(dropped.length > 0 ? { dropped } : {}),
    }
  }
  const inputs = ['request.json', `${id}.context.json`]
  return [
    {
      files: [`${id}.sent.json`],
      inputs,
      name: `${id}: encode`,
      run: () => golden.expectJson(`${id}.sent.json`, id, encode()),
    },
    {
      files: [`${id}.refused.json`],
      inputs,
      name: `${id}: encode refuses`,
      run: () => golden.expectJson(`${id}.refused.json`, id, printedError(caught(encode))),
    },
  ]
}

function checksOfDecode(
  golden: GoldenCase,
  operation: OperationName,
  { id, codec }: { readonly id: string; readonly codec: AnyCodec },
): readonly Check[] {
  const decode = (file: string, contentType: string): void => {
    const answer = received(golden.text(file), { contentType })
    const decoded = codec.decode(answer, contextOf(golden, id), requestOf(golden, operation))
    const isBody = decoded.passBytes === true || decoded.rendered !== undefined
    if (!isBody) validate(operations[operation].reply, decoded.reply)
    golden.expectJson(`${id}.reply.json`, id, withoutBytes(decoded))
  }
  const stream = (events: readonly ServerSentEvent[]): void => {
    if (!codec.stream) throw new Error(`${id} does not stream ${operation}`)
    const request = requestOf(golden, operation)
    const read = readStream(codec.stream, { events, context: contextOf(golden, id), request })
    const { steps, verdicts, usage, error } = read
    for (const step of steps)
      if ('event' in step) validate(operations[operation].event, step.event as never)
    golden.expectJson(`${id}.reply.json`, id, {
      steps: withoutBytes(steps),
      verdicts: verdicts.join(' '),
      ...(usage ? { usage } : {}),
      ...(error ? { error: printedError(error) } : {}),
    })
  }
  const reply = `${id}.reply.json`
  const [json, text, sse] = [`${id}.received.json`, `${id}.received.txt`, `${id}.received.sse`]
  const inputs = ['request.json', `${id}.context.json`]
  return [
    {
      files: [json, reply],
      inputs,
      name: `${id}: decode`,
      run: () => decode(json, 'application/json'),
    },
    { files: [text, reply], inputs, name: `${id}: decode`, run: () => decode(text, 'text/plain') },
    ...pieceSizes.map((size) => ({
      files: [sse, reply],
      inputs,
      name: `${id}: stream in pieces of ${size} bytes`,
      run: async () => stream(eventsInPieces(golden.text(sse), size)),
    })),
    {
      files: [`${id}.received.events.json`, reply],
      inputs,
      name: `${id}: stream`,
      run: () => stream(golden.json(`${id}.received.events.json`) as readonly ServerSentEvent[]),
    },
  ]
}

/** Without these a response shows only the model's words. */
const asksForReasoning: Readonly<Record<string, object>> = {
  messages: { thinking: { type: 'adaptive' } },
  responses: { include: ['reasoning.encrypted_content'] },
}

function checksOfFormat(golden: GoldenCase, format: AnyFormat): readonly Check[] {
  const { id, operation } = format
  const canonical = (): unknown => {
    const { request: schema, check } = operations[operation]
    const checked = validate(format.request, golden.json(`${id}.client.json`))
    const value = validate(schema, format.toCanonical(checked, formatContext()))
    check?.(value as never)
    return withoutBytes(value)
  }
  const clientRequest = (): unknown => ({
    ...asksForReasoning[id],
    ...(golden.json(golden.has(`${id}.client.json`) ? `${id}.client.json` : 'request.json') as object),
  })
  const own = `${id}.canonical.json`
  const inputs = [golden.has(`${id}.client.json`) ? `${id}.client.json` : 'request.json']
  return [
    {
      files: [`${id}.client.json`, `${id}.refused.json`],
      name: `${id}: refuses`,
      run: () => golden.expectJson(`${id}.refused.json`, id, printedError(caught(canonical))),
    },
    {
      files: [`${id}.client.json`, golden.has(own) ? own : 'request.json'],
      name: `${id}: to canonical`,
      run: () => {
        if (golden.has(`${id}.refused.json`)) return
        if (golden.has(own)) golden.expectJson(own, id, canonical())
        else golden.expectJson('request.json', inputOwner, canonical())
      },
    },
    {
      files: ['reply.json', `${id}.answer.json`],
      inputs,
      name: `${id}: from canonical`,
      run: () => {
        const reply = validate(operations[operation].reply, golden.json('reply.json')) as never
        const answer = format.fromCanonical(reply, clientRequest(), formatContext())
        validate(format.reply, answer)
        golden.expectJson(`${id}.answer.json`, id, answer)
      },
    },
    {
      files: ['steps.json', `${id}.answer.sse`],
      inputs,
      name: `${id}: stream from canonical`,
      run: () =>
        golden.expectText(`${id}.answer.sse`, id, written(golden, format, clientRequest())),
    },
    {
      files: ['error.json', `${id}.error.json`],
      name: `${id}: error body`,
      run: () => {
        const error = errorOf(golden.json('error.json') as GivenError)
        golden.expectJson(`${id}.error.json`, id, format.error(error, 'req_1'))
      },
    },
  ]
}

function written(golden: GoldenCase, format: AnyFormat, clientRequest: unknown): string {
  const { steps, error } = golden.json('steps.json') as {
    readonly steps: readonly Step<never>[]
    readonly error?: GivenError
  }
  for (const step of steps)
    if ('event' in step) validate(operations[format.operation].event, step.event)
  const writer = format.writer?.(clientRequest, formatContext(), '')
  if (!writer) throw new Error(`${format.id} does not stream`)
  const text = steps.map((step) => writer.write(step)).join('')
  return text + (error ? writer.fail(errorOf(error)) : writer.end())
}

function contextOf(golden: GoldenCase, id: string, dropped: string[] = []): CodecContext {
  const defaults = goldenCase(root).json('contexts.json') as Record<string, object | undefined>
  const own = golden.has(`${id}.context.json`) ? golden.json(`${id}.context.json`) : {}
  const {
    media = {},
    unsupported,
    ...rest
  } = { ...defaults[id], ...(own as object) } as {
    readonly media?: Record<string, { readonly bytes: Uint8Array; readonly contentType: string }>
    readonly unsupported?: 'report'
  }
  const { model } = golden.json('request.json') as { readonly model?: string }
  return codecContext({
    publicModel: model ?? '',
    ...rest,
    media: new Map(Object.entries(media)),
    newId: countingIds(),
    leftOut: (param) => void dropped.push(param),
    ...(unsupported === 'report'
      ? { unsupported: (param: string) => void dropped.push(param) }
      : {}),
  })
}

function printedRequest({
  method,
  path,
  headers,
  body,
  origin,
  elsewhere,
}: UpstreamRequest): object {
  return {
    method,
    path,
    ...(origin ? { origin } : {}),
    ...(elsewhere ? { elsewhere } : {}),
    ...(headers ? { headers } : {}),
    ...(body ? { body: printedBody(body) } : {}),
  }
}

function printedBody(body: NonNullable<UpstreamRequest['body']>): unknown {
  if (body.kind === 'json') return body.value
  if (body.kind === 'bytes') return withoutBytes(body)
  return { form: body.parts.map(printedPart) }
}

function printedPart(part: FormPart): object {
  if (!('file' in part)) return part
  const { bytes, ...rest } = part.file
  return { name: part.name, file: { ...rest, base64: Buffer.from(bytes).toString('base64') } }
}

interface GivenError {
  readonly code: ErrorCode
  readonly message: string
  readonly details?: ErrorDetails
}

function errorOf({ code, message, details }: GivenError): GatewayError {
  return new GatewayError(code, message, details)
}

function printedError({ code, message, details }: GatewayError): object {
  const { cause: _, ...rest } = details
  return { code, message, ...rest }
}

function caught(action: () => unknown): GatewayError {
  try {
    action()
  } catch (thrown) {
    if (thrown instanceof GatewayError) return thrown
    throw thrown
  }
  throw new Error('was not refused')
}
