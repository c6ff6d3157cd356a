// Unknown content in an answer is never dropped silently: chat completions carry it, and other formats report it.
import { describe, expect, test } from 'vitest'
import { ask, faces } from '../../support/clients/client-formats.ts'
import { fakeUpstream, json } from '../../support/fakes/fake-upstream.ts'
import { unreadAnswers } from '../../support/fakes/unknown-answer-content.ts'
import { start, until } from '../../support/start.ts'

const mark = 'seen through glass'
const kinds = ['hologram', 'constructor', 'fileData', 'video']

describe.each(Object.entries(unreadAnswers))('unknown content in an answer of %s', (_, answer) => {
  test.each(kinds)('is carried or reported in every format: %s', async (kind) => {
    const [settings, answering] = answer(kind, { depth: mark })
    await using upstream = await fakeUpstream((seen, response, request) =>
      // What the model itself cannot be asked through is asked through chat completions.
      seen.path.endsWith('/responses') && settings['type'] === 'openai'
        ? json(response, { error: { message: 'Not found' } }, { status: 404 })
        : answering(seen, response, request),
    )
    await using gateway = await start({
      providers: { up: { ...settings, baseUrl: upstream.url, key: 'k' } },
      defaults: { retries: { attempts: 1 } },
    })
    const given: Record<string, string> = {}
    for (const face of faces)
      for (const stream of [false, true]) {
        const place = `${face} ${stream ? 'streamed' : 'whole'}`
        const before = gateway.logged.length
        const { status, wire, headers } = await ask({ gateway, model: 'up/m' }, face, { stream })
        expect(status, `${place} ${wire}`).toBe(200)
        expect(wire, place).toContain('Hello')
        const line = await until(() =>
          gateway.logged.slice(before).find(({ message }) => message === 'request'),
        )
        const named = headers.get('x-sluice-dropped') ?? String(line.fields['untold'] ?? '')
        given[place] = wire.includes(mark)
          ? 'carried'
          : named.split(', ').includes(`answer.${kind}`)
            ? 'named'
            : `lost: ${named}`
      }
    expect(given).toMatchObject({ 'chat whole': 'carried', 'chat streamed': 'carried' })
    for (const [place, how] of Object.entries(given))
      expect(['carried', 'named'], `${place}: ${how}`).toContain(how)
  })
})
