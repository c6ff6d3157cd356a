// The playground: every operation with the built-in engine, tools that are answered by hand, and the code it shows, which is run.
import { execFile, spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, type TestContext, test } from 'vitest'
import { browserWait, chromium, leaveOutBrowser } from '../../../test/support/browser/chromium.ts'
import {
  buildConsole,
  type ConsoleBrowser,
  type ConsolePage,
  openConsole,
  shoot,
} from '../../../test/support/browser/console.ts'
import {
  type FakeUpstream,
  fakeUpstream,
  json,
  sse,
} from '../../../test/support/fakes/fake-upstream.ts'
import { chunk, done, textStream } from '../../../test/support/fakes/openai-wire.ts'
import { root } from '../../../test/support/npm.ts'
import { at } from '../../../test/support/routes.ts'
import { adminKey, type Started, start, testKey } from '../../../test/support/start.ts'

/** Inside of the project, so that imports find its packages. */
const folder = join(root, 'node_modules/.cache/playground-code')

let upstream: FakeUpstream
let gateway: Started
let browser: ConsoleBrowser | undefined
let picture: Buffer

const called = [
  chunk({
    tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name: 'get_weather' } }],
  }),
  chunk({ tool_calls: [{ index: 0, function: { arguments: '{"city":' } }] }),
  chunk({ tool_calls: [{ index: 0, function: { arguments: '"Oslo"}' } }] }),
  chunk({}, 'tool_calls'),
  done,
]

beforeAll(async () => {
  buildConsole()
  // Calls a tool first, and answers when it was told what came of it.
  upstream = await fakeUpstream((seen, response) => {
    if (seen.path.endsWith('/images/edits'))
      return json(response, { created: 1, data: [{ b64_json: picture.toString('base64') }] })
    const { messages = [], model } = seen.body as {
      readonly messages?: readonly { readonly role: string }[]
      readonly model?: string
    }
    const isAnswered = model === 'talk' || messages.at(-1)?.role === 'tool'
    return sse(response, isAnswered ? textStream : called)
  })
  gateway = await start(at({ acme: upstream }))
  picture = await sharp({
    create: { width: 64, height: 64, channels: 3, background: '#0b6e8f' },
  })
    .png()
    .toBuffer()
  mkdirSync(folder, { recursive: true })
  if (chromium !== undefined) browser = await openConsole(gateway)
}, 150_000)
afterAll(async () => {
  await browser?.[Symbol.asyncDispose]()
  await gateway[Symbol.asyncDispose]()
  await upstream[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

interface Use {
  readonly operation?: string
  readonly model: string
  readonly isPhone?: boolean
}

/** The playground with an operation and a model chosen. */
async function open(context: TestContext, { operation, model, isPhone = false }: Use) {
  if (!browser) return leaveOutBrowser(context)
  const opened = await browser.open('/playground', { key: adminKey, isPhone })
  const { page } = opened
  if (operation !== undefined)
    await page.getByRole('combobox', { name: 'Operation' }).selectOption({ label: operation })
  await page.getByRole('combobox', { name: 'Model 1' }).fill(model)
  return opened
}

async function send({ page }: ConsolePage): Promise<void> {
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await page.locator('[aria-busy="false"] dl').first().waitFor({ timeout: 60_000 })
}

async function choose({ page }: ConsolePage, label: string, name: string, buffer: Buffer) {
  const mimeType = name.endsWith('png') ? 'image/png' : 'audio/wav'
  const choosing = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: label }).click()
  await (await choosing).setFiles({ name, mimeType, buffer })
}

const lengthOf = (kind: 'audio' | 'video') =>
  `(() => { const one = document.querySelector('${kind}'); return one && one.duration > 0 })()`

test('plays a chat answer as speech and transcribes it', browserWait, async (context) => {
  await using opened = await open(context, { model: 'builtin-chat' })
  const { page } = opened
  await page.getByLabel('Message').fill('Say hello')
  await page.getByText('System prompt, parameters').click()
  await page.getByRole('combobox', { name: 'Spoken response' }).selectOption('alloy')
  const answering = page.waitForResponse('**/v1/chat/completions')
  await send(opened)
  await expect.poll(() => page.evaluate(lengthOf('audio')), { timeout: 20_000 }).toBe(true)
  await shoot(opened, 'playground-spoken')
  expect(await opened.problems()).toEqual([])
  const { choices } = (await (await answering).json()) as {
    readonly choices: readonly {
      readonly message: { readonly audio: { readonly data: string } }
    }[]
  }
  const spoken = choices[0]?.message.audio.data ?? ''
  await using heard = await open(context, {
    operation: 'Transcription',
    model: 'builtin-transcribe',
  })
  await choose(heard, 'File', 'spoken.wav', Buffer.from(spoken, 'base64'))
  await send(heard)
  await heard.page.getByText('Events').click()
  await heard.page.getByText('"text":').waitFor()
  expect(await heard.problems()).toEqual([])
})

test('sends an image to a chat model', browserWait, async (context) => {
  await using opened = await open(context, { model: 'builtin-chat' })
  await opened.page.getByLabel('Message').fill('What colour is it?')
  await choose(opened, 'Attachments', 'square.png', picture)
  await send(opened)
  await opened.page.getByText('Request', { exact: true }).click()
  await opened.page.getByText('data:image/png;base64').first().waitFor()
  expect(await opened.page.getByRole('alert').count()).toBe(0)
  expect(await opened.problems()).toEqual([])
})

test('plays speech', browserWait, async (context) => {
  await using opened = await open(context, { operation: 'Speech', model: 'builtin-speech' })
  await send(opened)
  await expect.poll(() => opened.page.evaluate(lengthOf('audio')), { timeout: 20_000 }).toBe(true)
  expect(await opened.problems()).toEqual([])
})

const seenPictures =
  "[...document.querySelectorAll('main img')].filter(({ naturalWidth }) => naturalWidth > 0).length"

test('generates an image and edits it', browserWait, async (context) => {
  await using made = await open(context, { operation: 'Image', model: 'builtin-image' })
  await send(made)
  await expect.poll(() => made.page.evaluate(seenPictures), { timeout: 20_000 }).toBe(1)
  await using changed = await open(context, { operation: 'Image edit', model: 'builtin-image' })
  expect(await changed.page.getByRole('button', { name: 'Send', exact: true }).isDisabled()).toBe(
    true,
  )
  await choose(changed, 'File', 'square.png', picture)
  await send(changed)
  await expect.poll(() => changed.page.evaluate(seenPictures), { timeout: 20_000 }).toBe(1)
  await shoot(changed, 'playground-edit')
  expect(await changed.problems()).toEqual([])
})

test('generates a video and shows its progress', browserWait, async (context) => {
  await using opened = await open(context, {
    operation: 'Video',
    model: 'builtin-video',
    isPhone: true,
  })
  const { page } = opened
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await page.getByRole('progressbar', { name: 'Progress' }).waitFor({ timeout: 30_000 })
  await expect
    .poll(() => page.evaluate(lengthOf('video')), { timeout: 90_000, interval: 200 })
    .toBe(true)
  expect(await page.getByRole('progressbar').getAttribute('aria-valuenow')).toBe('100')
  await shoot(opened, 'playground-video-phone')
  expect(await opened.problems()).toEqual([])
})

test('continues a chat with a reply', browserWait, async (context) => {
  await using opened = await open(context, { model: 'acme/talk', isPhone: true })
  const { page } = opened
  await page.getByLabel('Message').fill('Hi')
  await page.getByText('System prompt, parameters').click()
  const schema = page.getByLabel('JSON schema of the response')
  await schema.fill('{')
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await page.getByText('This is not valid JSON').waitFor()
  await schema.fill('{ "type": "object" }')
  await send(opened)
  await page.getByText('Hello', { exact: true }).waitFor()
  await page.getByLabel('Reply').fill('And then?')
  expect(await opened.problems()).toEqual([])
  await page.getByRole('button', { name: 'Send the reply' }).click()
  await expect.poll(() => page.getByText('Hello', { exact: true }).count()).toBe(2)
  await page.getByText('And then?', { exact: true }).waitFor()
  const talks = upstream.seen.filter(({ body }) => body?.['model'] === 'talk')
  expect(talks.at(-1)?.body).toMatchObject({
    response_format: { type: 'json_schema', json_schema: { schema: { type: 'object' } } },
    messages: [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: 'Hello' },
      { role: 'user', content: 'And then?' },
    ],
  })
  // Only the last answer is replied to.
  await expect.poll(() => page.getByLabel('Reply').count()).toBe(1)
  await shoot(opened, 'playground-reply-phone')
  expect(await opened.problems()).toEqual([])
})

test('restricts an image edit with a mask', browserWait, async (context) => {
  await using opened = await open(context, { operation: 'Image edit', model: 'acme/draw' })
  const { page } = opened
  await choose(opened, 'File', 'square.png', picture)
  await choose(opened, 'Mask', 'mask.png', picture)
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await expect.poll(() => edits().length).toBe(1)
  const [edit] = edits()
  expect(edit?.text).toMatch(/name="mask"; filename="mask\.png"/)
  expect(edit?.text.split('IHDR')).toHaveLength(3)
  await page.getByText('Show as code').click()
  await expect.poll(() => page.getByTestId('code').textContent()).toContain("-F 'mask=@mask.png'")
  expect(await opened.problems()).toEqual([])
})

const edits = () => upstream.seen.filter(({ path }) => path.endsWith('/images/edits'))

test('lets the user answer tool calls', browserWait, async (context) => {
  await using opened = await open(context, { model: 'acme/a' })
  const { page } = opened
  await page.getByLabel('Message').fill('How is the weather in Oslo?')
  await page.getByText('System prompt, parameters').click()
  await page.getByRole('button', { name: 'Insert an example' }).click()
  await send(opened)
  await page.getByText('get_weather({"city":"Oslo"})').waitFor()
  await page.getByLabel('Result of get_weather').fill('Rain, 7 degrees')
  await shoot(opened, 'playground-tools')
  expect(await opened.problems()).toEqual([])
  await page.getByRole('button', { name: 'Send the results' }).click()
  const chats = () => upstream.seen.filter(({ body }) => body?.['model'] === 'a')
  await expect.poll(() => chats().length).toBe(2)
  await page.getByText('Hello').first().waitFor()
  const [, second] = chats()
  expect(second?.body).toMatchObject({
    tools: [{ function: { name: 'get_weather' } }],
    messages: [
      { role: 'user', content: 'How is the weather in Oslo?' },
      { role: 'assistant', tool_calls: [{ id: 'call_1', function: { name: 'get_weather' } }] },
      { role: 'tool', tool_call_id: 'call_1', content: 'Rain, 7 degrees' },
    ],
  })
  expect(await opened.problems()).toEqual([])
})

/** What is filled in, and what its programs say when they are run. */
const programs = [
  { operation: 'Chat', model: 'builtin-chat', says: /./ },
  { operation: 'Chat', model: 'builtin-chat', file: true, says: /./ },
  { operation: 'Embeddings', model: 'builtin-embed', says: /\d/ },
  { operation: 'Rerank', model: 'builtin-rerank', says: /relevance_?score/i },
  { operation: 'Moderation', model: 'builtin-moderate', says: /false/i },
  { operation: 'Speech', model: 'builtin-speech', says: /^(speech\.mp3)?\s*$/ },
  { operation: 'Image', model: 'builtin-image', says: /image\.png|b64_json/ },
  { operation: 'Image edit', model: 'builtin-image', file: true, says: /image\.png|b64_json/ },
  { operation: 'Video', model: 'builtin-video', says: /completed/ },
] as const

test.for(programs)(
  'the code shown for $operation runs, file: $file',
  { timeout: 240_000 },
  async (use, context) => {
    await using opened = await open(context, use)
    const { page } = opened
    if (use.operation === 'Chat') {
      await page.getByLabel('Message').fill('Say "hello", it’s \'fine\'')
      await page.getByText('System prompt, parameters').click()
      await page.getByLabel('System prompt').fill('Be brief.')
      await page.getByRole('button', { name: 'Insert an example' }).click()
    }
    if ('file' in use) {
      const label = use.operation === 'Chat' ? 'Attachments' : 'File'
      await choose(opened, label, 'square.png', picture)
      writeFileSync(join(folder, 'square.png'), picture)
    }
    await send(opened)
    await page.getByText('Show as code').click()
    const clients = await page
      .getByRole('combobox', { name: 'Client' })
      .locator('option')
      .allTextContents()
    expect(clients.length).toBeGreaterThan(2)
    const codes: (readonly [client: string, code: string])[] = []
    for (const client of clients) {
      await page.getByRole('combobox', { name: 'Client' }).selectOption(client)
      codes.push([client, (await page.getByTestId('code').textContent()) ?? ''])
    }
    const left: string[] = []
    // Most of their time they wait for the gateway and for each other's start.
    await Promise.all(
      codes.map(async ([client, code]) => {
        const said = await ran(client, code)
        if (said === undefined) left.push(client)
        else expect(said, `${client}:\n${code}`).toMatch(use.says)
      }),
    )
    if (left.length > 0)
      console.warn(
        `${context.task.name}: not run, their package or Python itself is not installed: ${left.join(', ')}`,
      )
  },
)

const python = process.env['DOCS_PYTHON'] ?? 'python3'
const hasPython = spawnSync(python, ['--version']).status === 0

/** What a program said; undefined where its package is not installed. */
async function ran(client: string, code: string): Promise<string | undefined> {
  if (client.startsWith('Python')) {
    if (!hasPython) return undefined
    // Whatever is not run is read.
    await execute(python, ['-c', 'import ast, sys; ast.parse(sys.argv[1])', code])
    const imports = code.split('\n').filter((line) => /^from |^import (?!base64, |os$)/.test(line))
    const isThere = await execute(python, ['-c', imports.join('\n')]).then(
      () => true,
      () => false,
    )
    return isThere ? execute(python, ['-c', code]) : undefined
  }
  if (client === 'curl') return execute('bash', ['-c', `set -euo pipefail\n${code}`])
  const file = join(folder, `${client.replaceAll(/\W/g, '-')}.mjs`)
  writeFileSync(file, code)
  return execute(process.execPath, [file])
}

async function execute(program: string, args: readonly string[]): Promise<string> {
  const { PATH: path = '' } = process.env
  const { stdout } = await promisify(execFile)(program, args, {
    cwd: folder,
    env: { PATH: path, HOME: folder, SLUICE_KEY: testKey },
    timeout: 120_000,
    maxBuffer: 64 * 1024 * 1024,
  })
  return stdout
}

test(
  'sends the parameters that are given, and leads to the request',
  browserWait,
  async (context) => {
    await using opened = await open(context, { model: 'acme/talk' })
    const { page } = opened
    await page.getByLabel('Message').fill('Count')
    await page.getByText('System prompt, parameters').click()
    for (const [label, value] of [
      ['Maximum output tokens', '50'],
      ['Temperature', '0.5'],
      ['Seed', '7'],
    ] as const)
      await page.getByLabel(label, { exact: true }).fill(value)
    await page.getByRole('combobox', { name: 'Reasoning effort' }).selectOption('low')
    await page.getByLabel('Stop sequences').fill('END\nSTOP\n')
    await send(opened)
    const { body } = upstream.seen.findLast((one) => one.body?.['model'] === 'talk') ?? {}
    expect(body).toMatchObject({
      max_completion_tokens: 50,
      temperature: 0.5,
      seed: 7,
      reasoning_effort: 'low',
      stop: ['END', 'STOP'],
    })
    expect(body).not.toHaveProperty('top_p')
    await shoot(opened, 'playground-parameters')
    expect(await opened.problems()).toEqual([])
    await page.getByRole('link', { name: 'Open the request' }).click()
    await page.getByRole('heading', { name: /^req_/ }).waitFor()
    await page.getByText('acme/talk').first().waitFor()
  },
)
