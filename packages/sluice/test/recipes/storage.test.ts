import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { blocksOf } from '../../../../test/support/contributing.ts'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { describeDatabase } from '../../../store/test/contract/database.ts'
import { describeStore } from '../../../store/test/contract/store.ts'
import { openAcme, openAcmeDatabase } from './acme-storage.ts'

const folder = temporaryFolder()
afterAll(() => folder[Symbol.dispose]())

let databases = 0
function newDatabase(): string {
  databases += 1
  return pathToFileURL(join(folder.path, `${databases}.db`)).href
}

test('the storage backend in CONTRIBUTING.md is the tested one', () => {
  const own = ['acme-storage.ts', 'storage.test.ts'].map((name) =>
    readFileSync(join(import.meta.dirname, name), 'utf8'),
  )
  const shown = blocksOf('Add a storage backend')
  expect(shown).toHaveLength(own.length)
  for (const [at, block] of shown.entries()) expect(own[at]).toContain(block)
})

describeDatabase('acme', async () => {
  const database = await openAcmeDatabase(newDatabase())
  return { database, remove: async () => database[Symbol.asyncDispose]() }
})

describeStore('acme', async () => {
  const url = newDatabase() // a new, empty one for each call
  const opened = new AsyncDisposableStack()
  const openAnother = async () => opened.use(await openAcme({ url }))
  const store = await openAnother()
  return {
    store,
    async reopen() {
      await store[Symbol.asyncDispose]()
      return openAnother()
    },
    openAnother,
    remove: () => opened.disposeAsync(),
  }
})
