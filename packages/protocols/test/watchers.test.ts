// What the watchers of streams guard alone: nothing else reads a stream that is passed on unchanged.
import { describe, expect, test } from 'vitest'
import { GatewayError } from '../../contract/src/core/errors.ts'
import { createChatWatcher } from '../src/anthropic/upstream/watcher.ts'
import { createCompletionWatcher } from '../src/openai/upstream/watcher.ts'
import type { StreamWatcher } from '../src/protocol.ts'

/** What a watcher says of each event, with an error as its code. */
function verdicts(watcher: StreamWatcher, events: readonly (object | string)[]): readonly string[] {
  return events.map((event) => {
    const data = typeof event === 'string' ? event : JSON.stringify(event)
    const verdict = watcher.see({ event: '', data })
    return verdict instanceof GatewayError ? verdict.code : verdict
  })
}

describe('a stream of the Messages API', () => {
  const start = { type: 'message_start', message: { content: [] } }
  const opens = (index: number, type: string) => ({
    type: 'content_block_start',
    index,
    content_block: { type, text: '' },
  })
  const closes = (index: number) => ({ type: 'content_block_stop', index })
  const ends = (stop_reason: string | null) => ({ type: 'message_delta', delta: { stop_reason } })
  const done = { type: 'message_stop' }

  test.each(['end_turn', 'tool_use', 'stop_sequence', 'pause_turn', 'what_is_new'])(
    'that says %s within a tool call is garbled, whatever block came last',
    (reason) => {
      const within = [start, opens(0, 'tool_use'), ends(reason)]
      expect(verdicts(createChatWatcher(), within).at(-1)).toBe('upstream_garbled')
      const among = [
        start,
        opens(0, 'tool_use'),
        opens(1, 'text'),
        closes(1),
        ends(null),
        ends(reason),
      ]
      expect(verdicts(createChatWatcher(), among).slice(-2)).toEqual(['other', 'upstream_garbled'])
    },
  )

  test.each<[string, readonly object[]]>([
    ['its call is closed', [opens(0, 'tool_use'), closes(0), ends('tool_use')]],
    [
      'two are',
      [opens(0, 'tool_use'), opens(1, 'tool_use'), closes(1), closes(0), ends('tool_use')],
    ],
    ['a text is open, of which an end cannot be missed', [opens(0, 'text'), ends('end_turn')]],
    ['its call was cut at the limit', [opens(0, 'tool_use'), ends('max_tokens')]],
    ['its call was cut by a filter', [opens(0, 'tool_use'), ends('refusal')]],
  ])('is complete if %s', (_name, events) => {
    const seen = verdicts(createChatWatcher(), [start, ...events, done])
    expect(seen.slice(-2)).toEqual(['finish', 'terminal'])
  })

  test.each(['text', 'thinking', 'tool_use'])('that restarts within a %s is garbled', (type) => {
    const again = [start, opens(0, type), start]
    expect(verdicts(createChatWatcher(), again).at(-1)).toBe('upstream_garbled')
    const between = [start, opens(0, type), closes(0), start]
    expect(verdicts(createChatWatcher(), between).at(-1)).toBe('other')
  })

  test('that ends without a stop reason is cut', () => {
    expect(verdicts(createChatWatcher(), [start, ends(null), done]).at(-1)).toBe('upstream_cut')
  })
})

describe('a stream of chat completions', () => {
  const says = (content: string, index = 0) => ({ choices: [{ index, delta: { content } }] })
  const ends = (index = 0) => ({ choices: [{ index, delta: {}, finish_reason: 'stop' }] })
  const repeats = (index = 0) => ({
    choices: [{ index, delta: { role: 'assistant', content: '' }, finish_reason: null }],
    usage: { prompt_tokens: 7, completion_tokens: 3 },
  })

  test.each<[string, readonly object[], string]>([
    ['its choice has ended', [says('a'), ends()], 'terminal'],
    ['the usage repeats a choice that has ended', [says('a'), ends(), repeats()], 'terminal'],
    [
      'it repeats both',
      [says('a'), says('b', 1), ends(), ends(1), repeats(), repeats(1)],
      'terminal',
    ],
    ['one of two is open', [says('a'), says('b', 1), ends(), repeats()], 'upstream_cut'],
    ['the usage repeats one that is open', [says('a'), repeats()], 'upstream_cut'],
    ['no choice has begun', [], 'upstream_cut'],
    ['only the usage has come', [{ choices: [], usage: {} }], 'upstream_cut'],
  ])('where %s', (_name, events, last) => {
    expect(verdicts(createCompletionWatcher(), [...events, '[DONE]']).at(-1)).toBe(last)
  })
})
