import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isObject } from '@sluice/contract'
import type { Log } from '@sluice/gateway/call/log.ts'
import { type FetchedPrices, type Library, openLibrary } from '@sluice/gateway/prices/library.ts'
import {
  type FetchedList,
  type ListedPrices,
  withLists,
} from '@sluice/gateway/prices/router-list.ts'

/** The file in which `sluice prices update` stores fetched prices. */
export function fetchedPricesFile(dataFolder: string): string {
  return join(dataFolder, 'prices.json')
}

/** The file for the list of one provider. */
export function fetchedListFile(dataFolder: string, provider: string): string {
  return join(dataFolder, `prices-${provider}.json`)
}

const listFile = /^prices-[\w-]+\.json$/

/** The prices fetched last, otherwise the bundled ones. An unusable file is logged. */
export async function bundledOrFetched(
  dataFolder: string,
  log: Pick<Log, 'warn'>,
): Promise<Library> {
  const unusable = (file: string, error: unknown) =>
    log.warn({ file, error: String(error) }, 'fetched prices cannot be used: the others hold')
  const lists = namesOfLists(dataFolder).flatMap((name) => {
    const file = join(dataFolder, name)
    try {
      return [readList(file)]
    } catch (error) {
      unusable(file, error)
      return []
    }
  })
  const file = fetchedPricesFile(dataFolder)
  try {
    const fetched = readFetched(file)
    if (fetched) return withLists(await openLibrary(fetched), lists)
  } catch (error) {
    unusable(file, error)
  }
  return withLists(await openLibrary(), lists)
}

function namesOfLists(dataFolder: string): readonly string[] {
  try {
    return readdirSync(dataFolder).filter((name) => listFile.test(name))
  } catch {
    // There is no data folder yet.
    return []
  }
}

function readList(file: string): FetchedList {
  const value: unknown = JSON.parse(readFileSync(file, 'utf8'))
  if (isObject(value)) {
    const { provider, source, date, models } = value
    const texts = [provider, source, date]
    if (texts.every((text) => typeof text === 'string') && isObject(models))
      // Written by `sluice prices update`, which has read every price.
      return { ...value, models: models as ListedPrices } as FetchedList
  }
  throw new Error('it is not what sluice prices update writes')
}

function readFetched(file: string): FetchedPrices | undefined {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
  const value: unknown = JSON.parse(text)
  if (!isObject(value) || typeof value['date'] !== 'string' || !Array.isArray(value['providers']))
    throw new Error('it is not what sluice prices update writes')
  return { date: value['date'], providers: value['providers'] }
}
