import { expect, test } from 'vitest'
import { createIds } from '../../src/cli/ids.ts'

test('ids start with their time and continue with random digits', () => {
  let time = Date.UTC(2026, 0, 1)
  const newId = createIds(() => time)
  const ids = Array.from({ length: 600 }, () => newId('req_'))
  expect(new Set(ids).size).toBe(600)
  for (const id of ids) expect(id).toMatch(/^req_[0-9a-f]{32}$/)
  const starts = new Set(ids.map((id) => id.slice(0, 14)))
  expect(starts.size).toBe(1)
  time += 1
  const later = newId('req_')
  expect(ids.every((id) => id < later)).toBe(true)
})
