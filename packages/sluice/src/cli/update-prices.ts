import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { loadConfig } from '../config/config.ts'
import type { Environment } from '../config/env.ts'
import { openLibrary } from '@sluice/gateway/prices/library.ts'
import { readRouterList } from '@sluice/gateway/prices/router-list.ts'
import { providers as catalogue } from '@sluice/gateway/providers/index.ts'
import { makeFolder } from '@sluice/store/make-folder.ts'
import type { ProxyVariables } from '@sluice/gateway/settings/proxy-variables.ts'
import { Network } from '@sluice/gateway/dial/network.ts'
import { CommandError } from './command-error.ts'
import { dayOf } from './day.ts'
import { fetchedListFile, fetchedPricesFile } from './fetched-prices.ts'
import { type Screen, whileWaiting } from './progress.ts'

/** Where the library's authors publish their prices. */
const published =
  'https://raw.githubusercontent.com/pydantic/genai-prices/main/prices/new_data/v2/data.json'

const fetchMs = 60_000

export interface UpdateOptions {
  readonly from?: string
  /** Whose list it is; default: the provider at the host of the address. */
  readonly provider?: string
  readonly json?: boolean
  /** Where the elapsed time is shown. */
  readonly screen?: Screen
}

/**
 * Fetches prices, checks that they are usable and stores them in the data folder: those of the library, or the list of models
 * of a provider that names its prices. `from` is a URL, a file or a provider of the catalogue, which is fetching for its list. A
 * running gateway applies them at its next start, or when sluice.yaml changes.
 */
export async function updatePrices(
  environment: Environment,
  { from = published, provider, json = false, screen }: UpdateOptions,
): Promise<string> {
  const { dataFolder, proxies } = await loadConfig(environment)
  const known = catalogue.get(from)
  const address = known ? `${known.baseUrl}/models` : from
  const value = parsed(await readPublished(address, proxies, screen), address)
  const fetched = isLibrary(value)
    ? await libraryOf(value, address, dataFolder)
    : listOfProvider(value, { from: address, provider: provider ?? known?.id }, dataFolder)
  const { file, content, summary, details } = fetched
  makeFolder(dataFolder, 0o700)
  writeFileSync(`${file}.${process.pid}`, JSON.stringify(content), { mode: 0o600 })
  renameSync(`${file}.${process.pid}`, file)
  if (json) return JSON.stringify({ file, date: dayOf(Date.now()), ...details }, null, 2)
  return `Kept the prices of ${summary} in ${file}. A running gateway takes them at its next start, or when sluice.yaml changes.`
}

interface FetchedList {
  readonly file: string
  readonly content: object
  readonly summary: string
  /** What `--json` says beside the file and the date. */
  readonly details: object
}

function isLibrary(value: unknown): value is readonly { readonly models: unknown }[] {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((one) => typeof one === 'object' && one !== null && 'models' in one)
  )
}

async function libraryOf(
  providers: readonly unknown[],
  from: string,
  dataFolder: string,
): Promise<FetchedList> {
  const content = { date: dayOf(Date.now()), providers }
  try {
    const library = await openLibrary(content)
    // An unusable library would otherwise fail at the first call.
    library('openai', 'gpt-6-sol', new Date())
  } catch (cause) {
    throw CommandError.because(`${from} cannot be used`, cause)
  }
  const file = fetchedPricesFile(dataFolder)
  const many = providers.length
  return { file, content, summary: `${many} providers`, details: { providers: many } }
}

function listOfProvider(
  value: unknown,
  {
    from,
    provider = ownerOf(from),
  }: { readonly from: string; readonly provider?: string | undefined },
  dataFolder: string,
): FetchedList {
  const models = readRouterList(value)
  const many = Object.keys(models).length
  if (many === 0) throw new CommandError(`${from} is not a list of prices`)
  if (provider === undefined || !catalogue.has(provider))
    throw new CommandError(
      provider === undefined
        ? `It is not known whose list ${from} is: name the provider with --provider`
        : `There is no provider ${provider} in the catalog`,
    )
  const content = { provider, source: from, date: dayOf(Date.now()), models }
  const file = fetchedListFile(dataFolder, provider)
  const summary = `${many} models of ${provider}`
  return { file, content, summary, details: { provider, models: many } }
}

/** The provider at the same host. */
function ownerOf(from: string): string | undefined {
  if (!URL.canParse(from)) return undefined
  const { host } = new URL(from)
  const owner = [...catalogue.values()].find(
    ({ baseUrl }) => URL.canParse(baseUrl) && new URL(baseUrl).host === host,
  )
  return owner?.id
}

async function readPublished(
  from: string,
  proxies: ProxyVariables,
  screen: Screen | undefined,
): Promise<string> {
  if (!/^https?:\/\//.test(from))
    try {
      return readFileSync(from, 'utf8')
    } catch (cause) {
      throw CommandError.because(`${from} cannot be read`, cause)
    }
  await using network = new Network(proxies)
  const fetching = fetchText(network, from).catch((cause: unknown) => {
    throw CommandError.because(`${from} does not answer`, cause)
  })
  const { status, text } = await whileWaiting('prices are fetched', fetching, screen)
  if (status !== 200) throw new CommandError(`${from} answers with ${status}`)
  return text
}

async function fetchText({ fetch }: Network, url: string) {
  const response = await fetch(url, { signal: AbortSignal.timeout(fetchMs), redirect: 'manual' })
  return { status: response.status, text: await response.text() }
}

function parsed(text: string, from: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new CommandError(`${from} is not a list of prices`, { cause })
  }
}
