import fc from 'fast-check'
import { expect, test } from 'vitest'
import { placedDefaults, type Places } from '../../protocols/src/placed-defaults.ts'
import { CallRequest } from '../src/call/call-request.ts'
import '../../../test/support/property-limits.ts'

const places: Places = {
  temperature: { path: ['temperature'] },
  top_p: { path: ['config', 'topP'], also: [['config', 'top_p']] },
  seed: { path: ['config', 'seed'] },
  user: { path: ['metadata', 'user_id'] },
  max_completion_tokens: { path: ['limit'], also: [['older']] },
}

const value = fc.oneof(fc.string(), fc.integer(), fc.constant(null), fc.boolean())
const names = ['topP', 'top_p', 'seed', 'user_id', 'else']
const object = fc.dictionary(fc.constantFrom(...names), value, { maxKeys: 4 })
const body = fc.record(
  {
    model: fc.string(),
    messages: fc.array(fc.string({ unit: 'binary' })),
    temperature: value,
    limit: value,
    older: value,
    config: fc.option(object),
    metadata: fc.option(object),
    further: fc.jsonValue(),
  },
  { requiredKeys: ['model', 'messages'] },
)
const defaults = fc.record(
  {
    temperature: fc.double({ min: 0, max: 2, noNaN: true }),
    top_p: fc.double({ min: 0, max: 1, noNaN: true }),
    seed: fc.integer(),
    user: fc.string(),
    max_completion_tokens: fc.integer({ min: 1 }),
    top_k: fc.nat(),
  },
  { requiredKeys: [] },
)

const plain = (json: unknown): unknown => JSON.parse(JSON.stringify(json))

test('the bytes, the fields and what was asked agree, and nothing that is given changes', () => {
  fc.assert(
    fc.property(body, defaults, fc.constantFrom(0, 1, 4), (given, wanted, spaces) => {
      const raw = Buffer.from(JSON.stringify(given, null, spaces))
      const fields = JSON.parse(raw.toString()) as Record<string, unknown>
      const { all, changes, further } = placedDefaults(fields, wanted, places)
      const before = new CallRequest(fields, { fields, raw, isOwn: true })
      const after = before.changed(changes)
      const sent = JSON.parse(Buffer.from(after.bytesWith({})).toString()) as typeof fields
      expect(plain(after.value)).toEqual(sent)
      // Read again from the bytes.
      after.rest()
      expect(plain(after.value)).toEqual(sent)
      for (const [name, own] of Object.entries(fields))
        if (own !== null && !['config', 'metadata'].includes(name)) expect(sent[name]).toEqual(own)
      // A second time nothing is missing.
      expect(placedDefaults(sent, wanted, places).changes).toEqual([])
      expect(Object.keys(all).length).toBeGreaterThanOrEqual(Object.keys(further).length)
      expect(further).toEqual('top_k' in wanted ? { top_k: wanted.top_k } : {})
    }),
  )
})
