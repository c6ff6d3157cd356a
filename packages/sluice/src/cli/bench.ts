import { loadConfig } from '../config/config.ts'
import type { Environment } from '../config/env.ts'
import { readInitialKeys } from '@sluice/store/keys/initial-keys.ts'
import type { JsonOption, Printed } from './command.ts'
import { CommandError } from './command-error.ts'
import type { Shot } from './load/load-client.ts'
import { type LoadReport, runLoad, type Times } from './load/run-load.ts'
import { createProgress } from './progress.ts'
import { reachableAddress } from './start-message.ts'
import { formatTable } from './table.ts'

export interface BenchOptions extends JsonOption {
  readonly model: string
  /** The gateway's URL, including any path before `/v1`. Default: from the settings. */
  readonly url?: string
  /** Default: the first key of the settings, or the initial key. */
  readonly key?: string
  /** Default 100, or unlimited if `duration` is given. */
  readonly requests?: number
  /** Seconds after which no request is started and open ones are aborted. Default 60. */
  readonly duration?: number
  /** Default 8. */
  readonly concurrency?: number
  readonly stream?: boolean
  /** Length of the prompt in words, about one token each. Default 300. */
  readonly words?: number
  /** Maximum output tokens. Default 64. */
  readonly maxTokens?: number
}

/** Sends chat requests to a running gateway and reports throughput and latency. Fine if there were any and none failed. */
export async function benchCommand(
  environment: Environment,
  options: BenchOptions,
): Promise<Printed> {
  const { url, key } = await whereAndWho(environment, options)
  const shot = shotOf(url, key, options)
  const { duration = 60, concurrency = 8 } = options
  const requests = options.requests ?? (options.duration === undefined ? 100 : undefined)
  using progress = createProgress('requests')
  const report = await runLoad({
    url,
    concurrency: Math.min(concurrency, requests ?? concurrency),
    ...(requests !== undefined && { requests }),
    shot(index) {
      progress.at(index, requests)
      return shot
    },
    signal: AbortSignal.timeout(duration * 1000),
  })
  const failed = Object.values(report.failures).reduce((sum, count) => sum + count, 0)
  const isFine = failed === 0 && report.requests > 0
  return { text: options.json ? JSON.stringify(report, null, 2) : formatReport(report), isFine }
}

async function whereAndWho(
  environment: Environment,
  options: BenchOptions,
): Promise<{ readonly url: URL; readonly key: string }> {
  const { server, dataFolder } = await loadConfig(environment)
  const key = options.key ?? environment.apiKeys[0] ?? readInitialKeys(dataFolder).apiKey
  if (key === undefined)
    throw new CommandError('bench needs a key: give --key, or run it beside the data folder')
  const given = options.url ?? reachableAddress(server.host, server.port)
  const url = URL.parse(given)
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    throw new CommandError(`--url ${given} is not a URL such as http://127.0.0.1:8080`)
  return { url, key }
}

function shotOf(
  url: URL,
  key: string,
  { model, stream = false, words = 300, maxTokens = 64 }: BenchOptions,
): Shot {
  const content = `Repeat this until you are stopped: ${'word '.repeat(words)}`
  const body = {
    model,
    messages: [{ role: 'user', content }],
    max_tokens: maxTokens,
    ...(stream && { stream }),
  }
  return {
    path: `${url.pathname.replace(/\/+$/, '').replace(/\/v1$/, '')}/v1/chat/completions`,
    headers: {
      authorization: `Bearer ${key.replaceAll(/[\r\n]/g, '')}`,
      'content-type': 'application/json',
      'user-agent': 'sluice-bench',
    },
    body: Buffer.from(JSON.stringify(body)),
  }
}

function formatReport(report: LoadReport): string {
  const { requests, seconds, requestsPerSecond, events, failures } = report
  const failed = Object.entries(failures).map(([reason, count]) => `${count} × ${reason}`)
  const rows = [
    ...timesRow('first byte', report.firstByteMs),
    ...timesRow('first token', report.firstTokenMs),
    ...timesRow('between events', report.eventGapMs),
    ...timesRow('whole answer', report.wholeMs),
  ]
  const table = ['', formatTable(['ms', 'MEAN', 'P50', 'P90', 'P99', 'MOST'], rows)]
  return [
    `${requests} requests in ${seconds.toFixed(1)} s, ${requestsPerSecond.toFixed(1)} per second${
      events > 0 ? `, ${(events / seconds).toFixed(0)} events per second` : ''
    }`,
    failed.length > 0 ? `Failed: ${failed.join(', ')}` : 'None failed.',
    ...(rows.length === 0 ? [] : table),
  ].join('\n')
}

function timesRow(name: string, times: Times | undefined): readonly (readonly string[])[] {
  if (!times) return []
  const { mean, p50, p90, p99, max } = times
  return [[name, ...[mean, p50, p90, p99, max].map((ms) => ms.toFixed(1))]]
}
