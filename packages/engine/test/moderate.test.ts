import sharp from 'sharp'
import { afterAll, describe, expect, test } from 'vitest'
import type { RequestOf } from '../../contract/src/operations/index.ts'
import { moderationCategories } from '../../contract/src/operations/moderate.ts'
import { moderate } from '../src/moderate/moderate.ts'
import { scoreText } from '../src/moderate/score.ts'
import { openContext } from './audio-sounds.ts'
import { harmfulTexts, harmlessTexts } from './moderate-texts.ts'

const context = openContext()
afterAll(() => context[Symbol.asyncDispose]())

async function ask(input: RequestOf<'moderate'>['input']) {
  const result = await moderate({ input }, context)
  if (result.kind !== 'reply') throw new Error(`The answer is ${result.kind}`)
  return result.reply
}

async function flagsOf(text: string): Promise<readonly string[]> {
  const { results } = await ask(text)
  return moderationCategories.filter((category) => results[0]?.categories[category])
}

async function imageUrl(color: string): Promise<string> {
  const bytes = await sharp({ create: { width: 20, height: 20, channels: 3, background: color } })
    .png()
    .toBuffer()
  return `data:image/png;base64,${bytes.toString('base64')}`
}

test('the test data cover every category', () => {
  expect(harmfulTexts.length).toBeGreaterThan(60)
  expect(harmlessTexts.length).toBeGreaterThan(60)
  const covered = new Set(harmfulTexts.map(([, category]) => category))
  expect([...moderationCategories].filter((category) => !covered.has(category))).toEqual([])
})

test.each(harmfulTexts)('flags %s as %s', async (text, category) => {
  expect(await flagsOf(text)).toContain(category)
})

test.each(harmlessTexts)('does not flag %s', async (text) => {
  expect(await flagsOf(text)).toEqual([])
})

describe('flags disguised text', () => {
  test.each([
    'I w1ll k1ll y0u',
    'I will k i l l you',
    'I will k.i.l.l you',
    'I will kiiiiill you',
    'I will k\u200bi\u200bll you',
    'I will kíll you',
    'I will kіll you',
    'I WILL KILL YOU',
    'Ｉ ｗｉｌｌ ｋｉｌｌ ｙｏｕ',
  ])('%s', async (text) => {
    expect(await flagsOf(text)).toContain('harassment/threatening')
  })
})

test('negation and reporting lower the scores', async () => {
  const score = async (text: string, category: 'violence' | 'harassment/threatening') =>
    (await ask(text)).results[0]?.category_scores[category] ?? 0
  const threat = await score('I will hurt you', 'harassment/threatening')
  expect(await score('I will never hurt you', 'harassment/threatening')).toBeLessThan(threat / 2)
  const told = await score('He stabbed a man in the street', 'violence')
  const reported = await score(
    'According to the newspaper report he stabbed a man in the street',
    'violence',
  )
  expect(reported).toBeLessThan(told)
})

describe('the moderation answer', () => {
  test('has every category in all three maps, and scores from 0 to 1', async () => {
    const reply = await ask('I am going to kill you')
    expect(reply).toMatchObject({ id: 'modr-1', model: 'test-model' })
    const [result] = reply.results
    for (const map of [
      result?.categories,
      result?.category_scores,
      result?.category_applied_input_types,
    ])
      expect(Object.keys(map ?? {}).toSorted()).toEqual([...moderationCategories].toSorted())
    for (const [category, score] of Object.entries(result?.category_scores ?? {})) {
      expect(score).toBeGreaterThanOrEqual(0)
      expect(score).toBeLessThanOrEqual(1)
      expect(Object.entries(result?.categories ?? {})).toContainEqual([category, score >= 0.5])
    }
    expect(result?.flagged).toBe(true)
    expect(result?.category_applied_input_types?.hate).toEqual(['text'])
  })

  test('has one result per string, in order', async () => {
    const { results } = await ask(['Hello there', 'I am going to kill you', ''])
    expect(results.map((result) => result.flagged)).toEqual([false, true, false])
  })

  test('has one result for a list of parts', async () => {
    const { results } = await ask([
      { type: 'text', text: 'Hello there' },
      { type: 'image_url', image_url: { url: await imageUrl('#336699') } },
      { type: 'text', text: 'I am going to kill you' },
    ])
    expect(results).toHaveLength(1)
    expect(results[0]?.flagged).toBe(true)
    expect(results[0]?.category_applied_input_types).toMatchObject({
      violence: ['text'],
      hate: ['text'],
    })
  })

  test('has zero scores for an image, without applied input types', async () => {
    const url = await imageUrl('#e0ac69')
    const { results } = await ask([{ type: 'image_url', image_url: { url } }])
    expect(results[0]?.flagged).toBe(false)
    expect(new Set(Object.values(results[0]?.category_scores ?? {}))).toEqual(new Set([0]))
    expect(results[0]?.category_applied_input_types).toMatchObject({ sexual: [], hate: [] })
  })
})

test('rejects an invalid image', async () => {
  const url = `data:image/png;base64,${Buffer.from('no image').toString('base64')}`
  const input = [
    { type: 'text' as const, text: 'a' },
    { type: 'image_url' as const, image_url: { url } },
  ]
  await expect(ask(input)).rejects.toMatchObject({
    code: 'invalid_request',
    details: { param: 'input[1].image_url.url' },
  })
})

test('rejects input over the limits, single and total', async () => {
  const long = 'word '.repeat(33_000)
  await expect(ask(long)).rejects.toMatchObject({ details: { param: 'input' } })
  await expect(ask(['a', long])).rejects.toMatchObject({ details: { param: 'input[1]' } })
  const many = Array.from({ length: 11 }, () => 'word '.repeat(30_000))
  await expect(ask(many)).rejects.toThrow('300000 tokens together')
})

test.each([
  ['letters', 'a'],
  ['spaced letters', 'k '],
  ['apostrophes', "'"],
  ['marks', '!?.'],
  ['beginnings of rules', 'how make i will you '],
  ['digits', '12 year '],
  ['combining marks', 'e\u0301'],
])('moderates a long text of %s in linear time', (_, unit) => {
  const cost = (length: number): number => {
    const text = unit.repeat(length / unit.length)
    const runs = [1, 2, 3].map(() => {
      const before = process.cpuUsage()
      scoreText(text)
      return process.cpuUsage(before).user / 1000
    })
    return Math.min(...runs)
  }
  cost(8000)
  // Ten times the text costs ten times as much, give or take the machine; quadratic work costs a hundred times as much.
  expect(cost(80_000)).toBeLessThan(50 * Math.max(5, cost(8000)))
})
