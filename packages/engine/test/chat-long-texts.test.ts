import { expect, it } from 'vitest'
import { sentencesOf } from '../src/chat/text/sentences.ts'
import { trimEndOf, trimStartOf } from '../src/chat/text/trim.ts'
import { say } from './support/ask-chat.ts'

const fragments = [
  '?',
  '!',
  '.',
  ' ',
  'a ',
  'A',
  '"',
  "'",
  '1 ',
  '(',
  '- ',
  'a/',
  'a\n',
  'a: ',
  '“',
]

/** Whatever takes the square of such a text's length would take minutes here. */
it.each(fragments)('%j, a hundred thousand times, is answered', async (fragment) => {
  const text = `${fragment.repeat(100_000 / fragment.length)}x`
  expect(await say(text)).not.toBe('')
  expect(sentencesOf(text).join('').replaceAll(/\s/g, '')).toBe(text.replaceAll(/\s/g, ''))
})

it('trims what it is told, and no more', () => {
  expect(trimEndOf('a.b.?!', '.?!')).toBe('a.b')
  expect(trimStartOf('""a"b"', '"')).toBe('a"b"')
  expect(trimEndOf('...', '.')).toBe('')
  expect(trimStartOf('...', '.')).toBe('')
})
