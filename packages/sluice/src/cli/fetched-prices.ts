import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isObject } from '@sluice/contract'
import type { Log } from '../gateway/gateway.ts'
import { type FetchedPrices, type Library, openLibrary } from '../prices/library.ts'

/** The file in which `sluice prices update` stores fetched prices. */
export function fetchedPricesFile(dataFolder: string): string {
  return join(dataFolder, 'prices.json')
}

/** The prices fetched last, otherwise the bundled ones. An unusable file is logged. */
export async function bundledOrFetched(
  dataFolder: string,
  log: Pick<Log, 'warn'>,
): Promise<Library> {
  const file = fetchedPricesFile(dataFolder)
  try {
    const fetched = readFetched(file)
    if (fetched) return await openLibrary(fetched)
  } catch (error) {
    log.warn({ file, error: String(error) }, 'fetched prices cannot be used: the bundled ones hold')
  }
  return openLibrary()
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
