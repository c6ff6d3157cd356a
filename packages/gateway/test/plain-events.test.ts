// Plain events pass unparsed. A stream must come out as if each of its events had been parsed.
import { isUtf8 } from 'node:buffer'
import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import '../../../test/support/property-limits.ts'
import { recordedLines, testRecording } from '../../../test/support/formats/recordings.ts'
import {
  createEventSplitter,
  type EventBlock,
  GatewayError,
  PlainBlock,
  type PlainMember,
  type PlainMembers,
} from '@sluice/contract'
import { createChatWatcher as messagesWatcher } from '@sluice/protocols/anthropic/upstream/watcher.ts'
import { createChatWatcher as geminiWatcher } from '@sluice/protocols/gemini/upstream/watcher.ts'
import { createCompletionWatcher } from '@sluice/protocols/openai/upstream/watcher.ts'
import { createChatWatcher as responsesWatcher } from '@sluice/protocols/openai-responses/upstream/watcher.ts'
import type { StreamWatcher } from '@sluice/protocols/protocol.ts'
import { Guard } from '../src/attempt/guard.ts'
import { changedPieces, changedWith, piecesOf } from './changed-stream.ts'

interface Stream {
  readonly watcher: () => StreamWatcher
  /** With their blank lines. */
  readonly events: readonly string[]
}

const golden = join(import.meta.dirname, '../../protocols/test/golden')
const watchers: Readonly<Record<string, () => StreamWatcher>> = {
  openai: createCompletionWatcher,
  'openai-responses': responsesWatcher,
  anthropic: messagesWatcher,
  gemini: geminiWatcher,
}

const goldenStreams: readonly Stream[] = globSync('{chat,complete}/*/*.received.sse', {
  cwd: golden,
}).flatMap((path) => {
  const watcher = watchers[basename(path, '.received.sse')]
  const text = readFileSync(join(golden, path), 'utf8')
  return watcher === undefined ? [] : [{ watcher, events: text.match(/[^]+?\n\n/g) ?? [] }]
})

const recordings: Readonly<Record<string, () => StreamWatcher>> = {
  'openai/openai-text': createCompletionWatcher,
  'openai/openai-completion-text': createCompletionWatcher,
  'openai/azure-model-router.1': createCompletionWatcher,
  'deepseek/deepseek-tool-call': createCompletionWatcher,
  'groq/groq-tool-call': createCompletionWatcher,
  'moonshotai/moonshotai-stream': createCompletionWatcher,
  'xai/xai-text': createCompletionWatcher,
  'perplexity/perplexity-text': createCompletionWatcher,
  'mistral/mistral-text': createCompletionWatcher,
  'mistral/mistral-tool-call': createCompletionWatcher,
  'alibaba/alibaba-tool-call': createCompletionWatcher,
  'openai/openai-reasoning-encrypted-content.1': responsesWatcher,
  'openai/openai-custom-tool.1': responsesWatcher,
  'openai/openai-phase.1': responsesWatcher,
  'openai/parallel-tool-call-wrapper.1': responsesWatcher,
  'openai/openai-error.1': responsesWatcher,
  'anthropic/anthropic-text': messagesWatcher,
  'anthropic/anthropic-tool-no-args': messagesWatcher,
  'anthropic/anthropic-json-tool.1': messagesWatcher,
  'anthropic/anthropic-clear-thinking.1': messagesWatcher,
  'anthropic/anthropic-refusal': messagesWatcher,
  'anthropic/duplicate-message-start': messagesWatcher,
  'google/google-text': geminiWatcher,
  'google/google-tool-call': geminiWatcher,
  'google/google-reasoning-gemini3': geminiWatcher,
  'google/google-tool-call-gemini3': geminiWatcher,
}

function recordedStream([path, watcher]: readonly [string, () => StreamWatcher]): Stream {
  const lines = recordedLines(`${path}.chunks.txt`)
  const isNamed = watcher === messagesWatcher || watcher === responsesWatcher
  const events = lines.map((line) => {
    const type = isNamed ? /"type":"([^"]+)"/.exec(line)?.[1] : undefined
    return `${type === undefined ? '' : `event: ${type}\n`}data: ${line}\n\n`
  })
  const end = watcher === createCompletionWatcher ? ['data: [DONE]\n\n'] : []
  return { watcher, events: [...events, ...end] }
}

/** Everything that a stream leaves behind after each of its pieces, as text. */
function read(
  watcher: StreamWatcher,
  pieces: readonly Uint8Array[],
  { isParsed = false, hidesUsage = false } = {},
): string {
  let textBytes = 0
  let skipped = 0
  const guard = new Guard({
    splitter: createEventSplitter(isParsed ? undefined : watcher.plain),
    watcher,
    delivered: {
      see: ({ data }) => (textBytes += watcher.textBytes(data)),
      seePlain: (plain) => (textBytes += plain.textBytes),
    },
    comments: true,
    hidesUsage,
    listener: { skipped: () => (skipped += 1) },
  })
  const seen: string[] = []
  const take = (next: () => readonly EventBlock[]): boolean => {
    try {
      seen.push(Buffer.concat(next().map(({ raw }) => raw)).toString('latin1'))
    } catch (thrown) {
      seen.push(thrown instanceof GatewayError ? JSON.stringify(thrown) : String(thrown))
      return false
    }
    const { events, hasContent, isTerminated, failure } = guard
    const state = { events, hasContent, isTerminated, failure, skipped, usage: watcher.usage() }
    seen.push(JSON.stringify(state), JSON.stringify([watcher.made?.() ?? [], watcher.whole?.()]))
    return failure === undefined
  }
  const isWhole = pieces.every((piece) => take(() => guard.sift(guard.split(piece))))
  if (isWhole) take(() => guard.end())
  if (isUtf8(Buffer.concat(pieces))) seen.push(String(textBytes))
  return seen.join('\n')
}

/** Every name that a form or a watcher knows, and some more. */
const names = new Set(['id', 'input', 'args', 'signature', '__proto__', 'código'])
function addNames(members: PlainMembers): void {
  for (const [name, member] of Object.entries(members)) {
    names.add(name)
    if (typeof member === 'string') continue
    for (const value of Object.values(member))
      if (typeof value === 'object' && !Array.isArray(value)) addNames(value as PlainMembers)
  }
}
for (const create of Object.values(watchers)) {
  const { plain } = create()
  addNames(plain?.members ?? {})
  for (const name of plain?.texts ?? []) names.add(name)
}

function check(streams: readonly Stream[], numRuns: number): void {
  fc.assert(
    fc.property(fc.constantFrom(...streams), changedWith(names), ({ watcher, events }, changed) => {
      const { hidesUsage } = changed
      const pieces = changedPieces(events, changed)
      const parsed = read(watcher(), pieces, { isParsed: true, hidesUsage })
      expect(read(watcher(), pieces, { hidesUsage })).toBe(parsed)
    }),
    { numRuns },
  )
}

describe('property: a stream passes as if each event was parsed', () => {
  test('of the golden cases', () => {
    expect(goldenStreams.length).toBeGreaterThan(40)
    check(goldenStreams, 700)
  })

  test('cut after each byte', () => {
    for (const { watcher, events } of goldenStreams) {
      const pieces = piecesOf(Buffer.from(events.slice(-12).join('')), [1], Infinity)
      expect(read(watcher(), pieces)).toBe(read(watcher(), pieces, { isParsed: true }))
    }
  })

  test('of the golden cases with carriage returns', () =>
    check(goldenStreams.map(withCarriageReturns), 300))

  testRecording('of the recordings', () => {
    const streams = Object.entries(recordings).map(recordedStream)
    check(
      streams.map((stream) => ({ ...stream, events: stream.events.slice(-40) })),
      700,
    )
  })
})

/** With the line ends of Google's servers. */
function withCarriageReturns({ watcher, events }: Stream): Stream {
  return { watcher, events: events.map((event) => event.replaceAll('\n', '\r\n')) }
}

/** How many events of a stream are plain. */
function plainIn({ watcher, events }: Stream): number {
  const blocks = createEventSplitter(watcher().plain).push(Buffer.from(events.join('')))
  return blocks.reduce((sum, block) => sum + (block instanceof PlainBlock ? block.count : 0), 0)
}

test('events with a carriage return in each line end are as plain as others', () => {
  const unnamed = goldenStreams.filter(({ events }) => !events.join('').includes('event:'))
  expect(unnamed.reduce((sum, stream) => sum + plainIn(stream), 0)).toBeGreaterThan(30)
  for (const stream of unnamed) expect(plainIn(withCarriageReturns(stream))).toBe(plainIn(stream))
})

describe('nearly all events of a recorded stream are plain', () => {
  for (const [path, least] of [
    ['openai/openai-text', 299],
    ['openai/openai-completion-text', 15],
    ['moonshotai/moonshotai-stream', 3],
    ['xai/xai-text', 6],
    ['perplexity/perplexity-text', 7],
    ['mistral/mistral-text', 6],
    ['anthropic/anthropic-text', 6],
    ['google/google-text', 1],
  ] as const)
    testRecording(path, () => {
      const watcher = recordings[path] ?? createCompletionWatcher
      expect(plainIn(recordedStream([path, watcher]))).toBeGreaterThanOrEqual(least)
    })
})

/** The member of a form at the path of a value in an event. */
function memberAt(members: PlainMembers, path: readonly string[]): PlainMember | undefined {
  const [name = '', ...rest] = path
  const member = Object.hasOwn(members, name) ? members[name] : undefined
  if (rest.length === 0 || typeof member !== 'object') return member
  if ('object' in member) return memberAt(member.object, rest)
  if ('usage' in member) return 'any'
  if ('single' in member) return memberAt(member.single, rest.slice(1))
  return 'calls' in member ? memberAt(member.calls, rest.slice(1)) : undefined
}

/** A value that tells which of its members are read. */
function watched(
  value: unknown,
  path: readonly string[],
  tell: (path: readonly string[]) => void,
  proxies = new Map<object, object>(),
): unknown {
  if (typeof value !== 'object' || value === null) return value
  const known = proxies.get(value)
  if (known) return known
  const proxy = new Proxy(value, {
    get(target, name): unknown {
      const inner: unknown = Reflect.get(target, name)
      if (typeof name === 'symbol' || (Array.isArray(target) && !/^\d+$/.test(name))) return inner
      const at = [...path, name]
      if (!Array.isArray(target)) tell(at)
      return watched(inner, at, tell, proxies)
    },
  })
  proxies.set(value, proxy)
  return proxy
}

test('the forms have all members that the watchers read of a plain event', () => {
  const lacking = new Set<string>()
  let seen = 0
  for (const { watcher, events } of goldenStreams) {
    const one = watcher()
    const { plain } = one
    for (const block of createEventSplitter().push(Buffer.from(events.join('')))) {
      if (plain === undefined || block.kind !== 'event') continue
      const [first] = createEventSplitter(plain).push(block.raw)
      const tell = (path: readonly string[]): void => {
        if (memberAt(plain.members, path) === undefined) lacking.add(path.join('.'))
      }
      if (first instanceof PlainBlock) {
        block.parsed = { value: watched(JSON.parse(block.data), [], tell) }
        seen += 1
      }
      one.see(block)
    }
  }
  expect(seen).toBeGreaterThan(50)
  expect([...lacking]).toEqual([])
})
