import type { Fields } from '../../parts/fields.ts'
import { embedRequest, generateRequest, messagesRequest, rerankRequest } from './code-formats.ts'
import {
  type CodeFile,
  fileMark,
  inCurl,
  inJavaScript,
  inPython,
  inShell,
} from './code-literals.ts'
import { type Operation, type OperationName, operations } from './operations.ts'

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
export function codeOf(given: CodeRequest): readonly Code[] {
  const request = withMark(given)
  return [
    { client: 'curl', text: curlOf(request) },
    ...calls[request.operation].flatMap((call) => [
      ...programOf(call, 'Python', request),
      ...programOf(call, 'JavaScript', request),
    ]),
  ]
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

/**
 * The expression with which the JavaScript code reads the key. It is joined from parts because the console itself reads no
 * environment.
 */
const javaScriptKey = ['process', 'env', 'SLUICE_KEY'].join('.')
const pythonKey = 'os.environ["SLUICE_KEY"]'

/** The import of each package and its client, in which `ADDRESS` stands for the gateway's address. */
const packages = {
  Python: {
    openai: ['from openai import OpenAI', `OpenAI(base_url="ADDRESS/v1", api_key=${pythonKey})`],
    anthropic: [
      'from anthropic import Anthropic',
      `Anthropic(base_url="ADDRESS", api_key=${pythonKey})`,
    ],
    genai: [
      'from google import genai',
      `genai.Client(api_key=${pythonKey}, http_options={"base_url": "ADDRESS"})`,
    ],
    cohere: ['import cohere', `cohere.ClientV2(api_key=${pythonKey}, base_url="ADDRESS")`],
  },
  JavaScript: {
    openai: [
      "import OpenAI from 'openai'",
      `new OpenAI({ baseURL: 'ADDRESS/v1', apiKey: ${javaScriptKey} })`,
    ],
    anthropic: [
      "import Anthropic from '@anthropic-ai/sdk'",
      `new Anthropic({ baseURL: 'ADDRESS', apiKey: ${javaScriptKey} })`,
    ],
    genai: [
      "import { GoogleGenAI } from '@google/genai'",
      `new GoogleGenAI({ apiKey: ${javaScriptKey}, httpOptions: { baseUrl: 'ADDRESS' } })`,
    ],
    cohere: [
      "import { CohereClientV2 } from 'cohere-ai'",
      `new CohereClientV2({ environment: 'ADDRESS', token: ${javaScriptKey} })`,
    ],
  },
} as const

type Language = keyof typeof packages
type InEach = Readonly<Record<Language, string>>

/** A call of a client's method. */
interface Call {
  readonly library: keyof (typeof packages)[Language]
  /** One name for both languages, or the name in each that has the method. */
  readonly method: string | Partial<InEach>
  /** What the program does with the answer. */
  readonly then: InEach | ((body: Fields) => InEach)
  /** The variable for the answer. Default: `answer`. */
  readonly answer?: string
  /** The arguments of the method; undefined if the client cannot express the request. Default: the body. */
  readonly argumentsOf?: (
    body: Fields,
    file: CodeFile | undefined,
    language: Language,
  ) => Fields | undefined
}

const printed = (value: string): InEach => ({
  Python: `print(${value})`,
  JavaScript: `console.log(${value})`,
})
const printedStream: InEach = {
  Python: `for chunk in answer:
    for choice in chunk.choices:
        print(choice.delta.content or "", end="")
print()`,
  JavaScript: `for await (const chunk of answer)
  for (const { delta } of chunk.choices) process.stdout.write(delta.content ?? '')
console.log()`,
}
const savedPicture: InEach = {
  Python: `import base64, pathlib

pathlib.Path("image.png").write_bytes(base64.b64decode(answer.data[0].b64_json))
print("image.png")`,
  JavaScript: `await writeFile('image.png', Buffer.from(answer.data[0].b64_json, 'base64'))
console.log('image.png')`,
}
const savedSpeech = (name: string): InEach => ({
  Python: `answer.write_to_file("${name}")
print("${name}")`,
  JavaScript: `await writeFile('${name}', Buffer.from(await answer.arrayBuffer()))
console.log('${name}')`,
})
const savedVideo: InEach = {
  Python: `client.videos.download_content(answer.id).write_to_file("video.mp4")
print(answer.status)`,
  JavaScript: `let video = answer
while (video.status === 'queued' || video.status === 'in_progress') {
  await new Promise((resolve) => setTimeout(resolve, 1000))
  video = await client.videos.retrieve(video.id)
}
const clip = await client.videos.downloadContent(video.id)
await writeFile('video.mp4', Buffer.from(await clip.arrayBuffer()))
console.log(video.status)`,
}

const calls: Readonly<Record<OperationName, readonly Call[]>> = {
  chat: [
    {
      library: 'openai',
      method: 'chat.completions.create',
      then: ({ stream }) => (stream ? printedStream : printed('answer.choices[0].message')),
    },
    {
      library: 'anthropic',
      method: 'messages.create',
      then: printed('message.content'),
      answer: 'message',
      argumentsOf: messagesRequest,
    },
    {
      library: 'genai',
      method: { Python: 'models.generate_content', JavaScript: 'models.generateContent' },
      then: printed('answer.candidates[0].content'),
      argumentsOf: generateRequest,
    },
  ],
  embeddings: [
    {
      library: 'openai',
      method: 'embeddings.create',
      then: {
        Python: 'print(len(answer.data[0].embedding))',
        JavaScript: 'console.log(answer.data[0].embedding.length)',
      },
    },
    {
      library: 'genai',
      method: { JavaScript: 'models.embedContent' },
      then: printed('answer.embeddings[0].values.length'),
      argumentsOf: embedRequest,
    },
  ],
  rerank: [
    {
      library: 'cohere',
      method: 'rerank',
      then: printed('answer.results'),
      argumentsOf: (body, _file, language) => (language === 'Python' ? body : rerankRequest(body)),
    },
  ],
  moderations: [
    { library: 'openai', method: 'moderations.create', then: printed('answer.results[0].flagged') },
  ],
  speech: [
    {
      library: 'openai',
      method: 'audio.speech.create',
      then: (body) => savedSpeech(speechFile(body)),
    },
  ],
  transcriptions: [
    { library: 'openai', method: 'audio.transcriptions.create', then: printed('answer.text') },
  ],
  images: [{ library: 'openai', method: 'images.generate', then: savedPicture }],
  edits: [{ library: 'openai', method: 'images.edit', then: savedPicture }],
  videos: [
    {
      library: 'openai',
      method: { Python: 'videos.create_and_poll', JavaScript: 'videos.create' },
      then: savedVideo,
    },
  ],
}

function speechFile({ response_format: format }: Fields): string {
  return `speech.${typeof format === 'string' ? format : 'mp3'}`
}

/** The program in one language; none if its client cannot express the request. */
function programOf(call: Call, language: Language, request: CodeRequest): readonly Code[] {
  const { library, answer = 'answer', argumentsOf = (body: Fields) => body } = call
  const { body, file, address } = request
  const method = typeof call.method === 'string' ? call.method : call.method[language]
  const given = argumentsOf(body, file, language)
  if (method === undefined || !given) return []
  const { [language]: then } = typeof call.then === 'function' ? call.then(body) : call.then
  const [head, constructed] = packages[language][library]
  const client = constructed.replace('ADDRESS', () => address)
  const files = filesOf(request)
  const isReading = JSON.stringify(given).includes(fileMark)
  const imports = [
    head,
    ...(isReading ? ["import { readFileSync } from 'node:fs'"] : []),
    ...(takesFile(request) ? ["import { createReadStream } from 'node:fs'"] : []),
    ...(then.includes('writeFile(') ? ["import { writeFile } from 'node:fs/promises'"] : []),
  ]
  const text =
    language === 'Python'
      ? `import ${isReading ? 'base64, ' : ''}os
${head}

client = ${client}
${answer} = client.${method}(
${inPython(given, file, files)}
)
${then}`
      : `${imports.join('\n')}

const client = ${client}
const ${answer} = await client.${method}(${inJavaScript(given, file, files)})
${then}`
  return [{ client: `${language} (${library})`, text }]
}

function takesFile({ operation }: CodeRequest): boolean {
  return 'fileField' in operations[operation]
}

/** The files of a form, by field name. */
function filesOf({ operation, file, mask }: CodeRequest): Readonly<Record<string, string>> {
  const { fileField }: Operation = operations[operation]
  if (!file || fileField === undefined) return {}
  return { [fileField]: file.name, ...(mask && { mask: mask.name }) }
}

const authorized = '-H "Authorization: Bearer $SLUICE_KEY"'

function curlOf(request: CodeRequest): string {
  const { operation, address, path, body, file } = request
  const start = [`curl --fail-with-body ${address}/${path}`, authorized]
  if (takesFile(request)) {
    const fields = Object.entries(body).map(
      ([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
    )
    const files = Object.entries(filesOf(request)).map(([name, value]) => `${name}=@${value}`)
    const parts = [...fields, ...files].map((part) => `-F ${inShell(part)}`)
    return [...start, ...parts].join(' \\\n  ')
  }
  const json = [...start, '-H "Content-Type: application/json"', `-d ${inCurl(body, file)}`]
  if (operation === 'speech') json.push(`--output ${speechFile(body)}`)
  const whole = json.join(' \\\n  ')
  return operation === 'videos' ? videoCurl(whole, `${address}/${path}/$id`) : whole
}

/** Creates a video job, polls it until it has ended, and downloads the video. */
function videoCurl(create: string, url: string): string {
  return `id=$(${create.replace('curl ', 'curl --silent ')} | sed 's/.*"id": *"\\([^"]*\\)".*/\\1/')
until curl --silent --fail-with-body ${url} ${authorized} | grep -E '"status": *"(completed|failed)"'; do sleep 1; done
curl --fail-with-body ${url}/content ${authorized} --output video.mp4`
}
