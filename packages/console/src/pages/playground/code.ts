import type { Fields } from './fields.ts'
import { generateRequest, messagesRequest } from './code-formats.ts'
import { fileMark, inCurl, inJavaScript, inPython, type CodeFile } from './code-literals.ts'
import type { OperationName } from './operations.ts'

/** A request as code for one client. */
export interface Code {
  /** The name of the client and its language. */
  readonly client: string
  readonly text: string
}

export interface CodeRequest {
  readonly operation: OperationName
  /** The gateway's address, without a trailing slash. */
  readonly address: string
  readonly path: string
  readonly body: Fields
  readonly file?: CodeFile
  /** The mask of an image edit. */
  readonly mask?: CodeFile
}

/** The request as complete programs, which read the key from `SLUICE_KEY` and files from the current folder. */
export function codeOf(request: CodeRequest): readonly Code[] {
  const made = writers[request.operation](withMark(request))
  return made.filter((code): code is Code => code !== undefined)
}

/** Replaces the content of the file by a mark, because the program reads the file itself. */
function withMark(request: CodeRequest): CodeRequest {
  if (!request.file) return request
  const text = JSON.stringify(request.body).replace(
    /("(?:url|data)":"(?:data:[\w/+.-]+;base64,)?)[A-Za-z0-9+/=]{16,}"/g,
    (_, before: string) => `${before}${fileMark}"`,
  )
  return { ...request, body: JSON.parse(text) as Fields }
}

type Writer = (request: CodeRequest) => readonly (Code | undefined)[]

const writers: Readonly<Record<OperationName, Writer>> = {
  chat: (request) => [
    curl(request),
    openaiPython(
      request,
      'chat.completions.create',
      request.body['stream'] ? streamedPython : print,
    ),
    openaiJavaScript(request, 'chat.completions.create', request.body['stream'] ? streamed : log),
    ...anthropic(request),
    ...genai(request),
  ],
  embeddings: (request) => [
    curl(request),
    openaiPython(request, 'embeddings.create', 'print(len(answer.data[0].embedding))'),
    openaiJavaScript(request, 'embeddings.create', 'console.log(answer.data[0].embedding.length)'),
    genaiEmbedding(request),
  ],
  rerank: (request) => [curl(request), coherePython(request), cohereJavaScript(request)],
  moderations: (request) => [
    curl(request),
    openaiPython(request, 'moderations.create', 'print(answer.results[0].flagged)'),
    openaiJavaScript(request, 'moderations.create', 'console.log(answer.results[0].flagged)'),
  ],
  speech: (request) => {
    const { response_format: format } = request.body
    const name = `speech.${typeof format === 'string' ? format : 'mp3'}`
    return [
      curl(request, ` \\\n  --output ${name}`),
      openaiPython(
        request,
        'audio.speech.create',
        `answer.write_to_file("${name}")\nprint("${name}")`,
      ),
      openaiJavaScript(request, 'audio.speech.create', savedResponse(name), [writing]),
    ]
  },
  transcriptions: (request) => [
    formCurl(request, 'file'),
    openaiPython(request, 'audio.transcriptions.create', 'print(answer.text)', 'file'),
    openaiJavaScript(
      request,
      'audio.transcriptions.create',
      'console.log(answer.text)',
      [reading],
      'file',
    ),
  ],
  images: (request) => [
    curl(request),
    openaiPython(request, 'images.generate', savedPython('image.png')),
    openaiJavaScript(request, 'images.generate', savedPicture, [writing]),
  ],
  edits: (request) => [
    formCurl(request, 'image'),
    openaiPython(request, 'images.edit', savedPython('image.png'), 'image'),
    openaiJavaScript(request, 'images.edit', savedPicture, [reading, writing], 'image'),
  ],
  videos: (request) => [
    videoCurl(request),
    openaiPython(
      request,
      'videos.create_and_poll',
      `client.videos.download_content(answer.id).write_to_file("video.mp4")\nprint(answer.status)`,
    ),
    openaiJavaScript(request, 'videos.create', polled, [writing]),
  ],
}

const print = 'print(answer.choices[0].message)'
const log = 'console.log(answer.choices[0].message)'
const streamedPython = `for chunk in answer:
    for choice in chunk.choices:
        print(choice.delta.content or "", end="")
print()`
const streamed = `for await (const chunk of answer)
  for (const { delta } of chunk.choices) process.stdout.write(delta.content ?? '')
console.log()`

const reading = "import { createReadStream } from 'node:fs'"
const writing = "import { writeFile } from 'node:fs/promises'"
const savedPicture = `await writeFile('image.png', Buffer.from(answer.data[0].b64_json, 'base64'))
console.log('image.png')`
const savedPython = (name: string) => `import base64, pathlib

pathlib.Path("${name}").write_bytes(base64.b64decode(answer.data[0].b64_json))
print("${name}")`
const savedResponse = (
  name: string,
) => `await writeFile('${name}', Buffer.from(await answer.arrayBuffer()))
console.log('${name}')`
const polled = `let video = answer
while (video.status === 'queued' || video.status === 'in_progress') {
  await new Promise((resolve) => setTimeout(resolve, 1000))
  video = await client.videos.retrieve(video.id)
}
const clip = await client.videos.downloadContent(video.id)
await writeFile('video.mp4', Buffer.from(await clip.arrayBuffer()))
console.log(video.status)`

/**
 * The expression with which the JavaScript code reads the key. It is joined from parts because the console itself reads no
 * environment.
 */
const javaScriptKey = ['process', 'env', 'SLUICE_KEY'].join('.')

const authorized = '-H "Authorization: Bearer $SLUICE_KEY"'

function curl({ address, path, body, file }: CodeRequest, after = ''): Code {
  const json = inCurl(body, file)
  return {
    client: 'curl',
    text: `curl --fail-with-body ${address}/${path} \\
  ${authorized} \\
  -H "Content-Type: application/json" \\
  -d ${json}${after}`,
  }
}

function formCurl({ address, path, body, file, mask }: CodeRequest, field: string): Code {
  const fields = Object.entries(body).map(([name, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    return `  -F ${quoted(`${name}=${text}`)}`
  })
  return {
    client: 'curl',
    text: [
      `curl --fail-with-body ${address}/${path}`,
      `  ${authorized}`,
      ...fields,
      `  -F ${quoted(`${field}=@${file?.name ?? field}`)}`,
      ...(mask ? [`  -F ${quoted(`mask=@${mask.name}`)}`] : []),
    ].join(' \\\n'),
  }
}

/** Creates a video job, polls it until it has ended, and downloads the video. */
function videoCurl(request: CodeRequest): Code {
  const { address, path } = request
  const each = `curl --silent --fail-with-body ${address}/${path}/$id ${authorized}`
  return {
    client: 'curl',
    text: `id=$(${curl(request).text.replace('curl ', 'curl --silent ')} | sed 's/.*"id": *"\\([^"]*\\)".*/\\1/')
until ${each} | grep -E '"status": *"(completed|failed)"'; do sleep 1; done
curl --fail-with-body ${address}/${path}/$id/content ${authorized} --output video.mp4`,
  }
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

/** The files of a form, by field name. */
function filesOf(
  { file, mask }: CodeRequest,
  fileField: string | undefined,
): readonly (readonly [field: string, name: string])[] {
  if (!file || fileField === undefined) return []
  return [[fileField, file.name], ...(mask ? [['mask', mask.name] as const] : [])]
}

function openaiPython(
  request: CodeRequest,
  method: string,
  then: string,
  fileField?: string,
): Code {
  const { address, body, file } = request
  const opened = filesOf(request, fileField)
    .map(([field, name]) => `    ${field}=open(${JSON.stringify(name)}, "rb"),\n`)
    .join('')
  return {
    client: 'Python (openai)',
    text: `import ${fileReading(body)}os
from openai import OpenAI

client = OpenAI(base_url="${address}/v1", api_key=os.environ["SLUICE_KEY"])
answer = client.${method}(
${opened}${inPython(body, file)}
)
${then}`,
  }
}

function openaiJavaScript(
  request: CodeRequest,
  method: string,
  ...[then, imports = [], fileField]: readonly [
    then: string,
    imports?: readonly string[],
    fileField?: string,
  ]
): Code {
  const { address, body, file } = request
  const opened = Object.fromEntries(
    filesOf(request, fileField).map(([field, name]) => [
      field,
      `createReadStream(${JSON.stringify(name)})`,
    ]),
  )
  const heads = ["import OpenAI from 'openai'", ...fileImports(body), ...imports]
  return {
    client: 'JavaScript (openai)',
    text: `${heads.join('\n')}

const client = new OpenAI({ baseURL: '${address}/v1', apiKey: ${javaScriptKey} })
const answer = await client.${method}(${inJavaScript(body, file, opened)})
${then}`,
  }
}

function anthropic({ address, body, file }: CodeRequest): readonly (Code | undefined)[] {
  const request = messagesRequest(body, file)
  if (!request) return []
  return [
    {
      client: 'Python (anthropic)',
      text: `import ${fileReading(request)}os
from anthropic import Anthropic

client = Anthropic(base_url="${address}", api_key=os.environ["SLUICE_KEY"])
message = client.messages.create(
${inPython(request, file)}
)
print(message.content)`,
    },
    {
      client: 'JavaScript (anthropic)',
      text: `${["import Anthropic from '@anthropic-ai/sdk'", ...fileImports(request)].join('\n')}

const client = new Anthropic({ baseURL: '${address}', apiKey: ${javaScriptKey} })
const message = await client.messages.create(${inJavaScript(request, file)})
console.log(message.content)`,
    },
  ]
}

function genai({ address, body, file }: CodeRequest): readonly (Code | undefined)[] {
  const request = generateRequest(body, file)
  if (!request) return []
  return [
    {
      client: 'Python (genai)',
      text: `import ${fileReading(request)}os
from google import genai

client = genai.Client(api_key=os.environ["SLUICE_KEY"], http_options={"base_url": "${address}"})
answer = client.models.generate_content(
${inPython(request, file)}
)
print(answer.candidates[0].content)`,
    },
    {
      client: 'JavaScript (genai)',
      text: `${["import { GoogleGenAI } from '@google/genai'", ...fileImports(request)].join('\n')}

const client = new GoogleGenAI({ apiKey: ${javaScriptKey}, httpOptions: { baseUrl: '${address}' } })
const answer = await client.models.generateContent(${inJavaScript(request, file)})
console.log(answer.candidates[0].content)`,
    },
  ]
}

function genaiEmbedding({ address, body }: CodeRequest): Code | undefined {
  const { model, input } = body
  if (typeof input !== 'string') return undefined
  const request = { model, contents: [input] }
  return {
    client: 'JavaScript (genai)',
    text: `import { GoogleGenAI } from '@google/genai'

const client = new GoogleGenAI({ apiKey: ${javaScriptKey}, httpOptions: { baseUrl: '${address}' } })
const answer = await client.models.embedContent(${inJavaScript(request)})
console.log(answer.embeddings[0].values.length)`,
  }
}

function coherePython({ address, body }: CodeRequest): Code {
  return {
    client: 'Python (cohere)',
    text: `import os
import cohere

client = cohere.ClientV2(api_key=os.environ["SLUICE_KEY"], base_url="${address}")
answer = client.rerank(
${inPython(body)}
)
print(answer.results)`,
  }
}

function cohereJavaScript({ address, body }: CodeRequest): Code {
  const { top_n: topN, ...rest } = body
  return {
    client: 'JavaScript (cohere)',
    text: `import { CohereClientV2 } from 'cohere-ai'

const client = new CohereClientV2({ environment: '${address}', token: ${javaScriptKey} })
const answer = await client.rerank(${inJavaScript({ ...rest, ...(topN !== undefined && { topN }) })})
console.log(answer.results)`,
  }
}

const hasMark = (body: Fields) => JSON.stringify(body).includes(fileMark)

function fileReading(body: Fields): string {
  return hasMark(body) ? 'base64, ' : ''
}

function fileImports(body: Fields): readonly string[] {
  return hasMark(body) ? ["import { readFileSync } from 'node:fs'"] : []
}
