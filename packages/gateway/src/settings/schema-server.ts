import { Type } from '@sluice/contract'
import type { Static } from 'typebox'
import {
  choice,
  count,
  flag,
  integer,
  listOf,
  matching,
  milliseconds,
  object,
  options,
  text,
} from './schema-parts.ts'

export const server = options(
  {
    host: text('The address to listen on. Default 127.0.0.1.'),
    port: integer({ minimum: 0, maximum: 65_535 }, 'The port; 0 selects a free one. Default 8080.'),
    publicUrl: matching(
      '^https?://[^\\s]+$',
      'The public URL of the gateway, used for links in responses. Default: the URL of the request.',
    ),
    trustedProxies: listOf(
      text('An IP address or CIDR block, such as 10.0.0.0/8.'),
      'Proxies whose x-forwarded-for is trusted, for restrictions by client address. Default: none; the client address is that of the connection.',
    ),
    bodyLimitBytes: count(
      'Maximum size of a request body after decompression. Default 134217728 (128 MiB).',
    ),
    inflatedLimitBytes: count(
      'Maximum size of a compressed request body after decompression. Default 67108864 (64 MiB).',
    ),
    bodyLimitValues: count(
      'Maximum number of values in a JSON body; each string, name, array and object counts as four. Default 500000.',
    ),
    requestTimeoutMs: milliseconds('Time limit for receiving a request. Default 120000.'),
    workers: Type.Union([count('The number of processes.'), Type.Literal('auto')], {
      description:
        'Number of processes that serve the port on this machine; auto: one per core. SLUICE_WORKERS and serve --workers take precedence. Default 1.',
    }),
    workerTimeoutMs: milliseconds(
      'How long a worker may be unresponsive before it is killed and restarted. Default 30000.',
    ),
    warmStart: flag(
      'Whether a gateway with providers runs its own code before it is ready, for half a second at most: callers inside the process call an upstream inside the process. Nothing is sent, recorded or counted. SLUICE_WARM_START takes precedence. Default true: the first requests are answered sooner and cost less. A change takes effect at the next start.',
    ),
    drainMs: integer(
      { minimum: 0 },
      'How long, in milliseconds, the gateway accepts requests after the stop signal while /readyz reports that it is not ready, so that load balancers can route around it. Default 0.',
    ),
    stopTimeoutMs: milliseconds(
      'How long requests and streams in progress may continue after the stop signal before each ends with an error. The process supervisor must wait at least two seconds longer. Default 10000.',
    ),
    allowPrivateMedia: flag(
      'Whether media URLs in requests may point to private addresses. Default false: they are refused.',
    ),
  },
  'The HTTP server.',
)

const redisUrlPattern = '^rediss?://[^\\s]+$'

export const redis = options(
  {
    url: matching(
      redisUrlPattern,
      'A Redis or Valkey server, such as redis://127.0.0.1:6379, in which several gateways share their limits. REDIS_URL takes precedence. Default: each process keeps its own limits in memory. A change takes effect at the next start.',
    ),
    whenDown: choice(
      ['refuse', 'local'],
      'How to handle limited requests while Redis does not respond. refuse (default): 503. local: each process grants 1 / processes of every limit and of the last known remainder of a budget.',
    ),
    processes: count('Number of processes that share the limits, for whenDown: local. Default 1.'),
    timeoutMs: milliseconds('Timeout for a response from Redis. Default 1,000.'),
  },
  'Sharing of limits between gateways.',
)

export const limits = options(
  {
    requestsPerMinute: count(
      'Requests per minute of each key that has no limit of its own. Default: no limit.',
    ),
    tokensPerMinute: count(
      'Input and output tokens per minute of each key. They are estimated before the upstream request and counted when it has ended. Default: no limit.',
    ),
    concurrentRequestsPerKey: count(
      'Maximum number of concurrent requests of one key. Beyond it: 429. Default: no separate limit; one key may hold nine tenths of concurrentRequests.',
    ),
    concurrentRequests: count(
      'Maximum number of concurrent requests of all keys to one gateway, including all of its workers. Further requests wait, and keys take turns. One key may hold all slots but a tenth, rounded down. Default: no limit.',
    ),
    waitingRequests: count(
      'Maximum number of requests that wait for a slot of concurrentRequests. Beyond it: 503. One key may use half of these; beyond that: 429. Default 1000.',
    ),
    waitMs: integer(
      { minimum: 0 },
      'How long, in milliseconds, a request may wait for a slot of concurrentRequests before it is refused with 503. 0: not at all. Default 5000.',
    ),
    timeZone: text(
      'The time zone of daily, weekly and monthly budgets that have none of their own, such as Europe/Berlin. Default UTC.',
    ),
    unknownPrices: choice(
      ['refuse', 'allow'],
      'How to handle a request that counts toward a budget when the price of a target is unknown. refuse (default): 403. allow: it is admitted, and the known part of its cost is counted.',
    ),
    output: choice(
      ['limit', 'reserve', 'refuse'],
      'What budgets reserve for a response whose caller did not limit it. limit (default): the gateway limits it to budgetedOutputTokens. reserve: the model’s maximum is reserved. refuse: 400. Keys and accounts override this.',
    ),
    budgetedOutputTokens: count(
      'The limit of the output that the gateway sets, if a budget has room for it. Default 4096.',
    ),
    budgetedOutputTokensMin: count(
      'The least limit that the gateway sets, in addition to the reasoning that a caller allows. A budget with less room refuses. Default 1024.',
    ),
    inputBound: choice(
      ['bytes', 'estimate'],
      'How budgets count input. bytes (default): one token per byte, which is never exceeded. estimate: one and a half times the usual size, which can be exceeded. Keys and accounts override this.',
    ),
    estimates: options(
      {
        outputTokens: count(
          'Output tokens of a request without a limit, until the model has responded; afterwards the longest recent response. For token rates only. Default 1024.',
        ),
        imageTokens: count('Tokens of an image. Default 2000.'),
        fileTokens: count('Tokens of a file that is referenced by id or URL. Default 10000.'),
        historyTokens: count(
          'Tokens of a conversation, prompt or cache stored by a provider. Default 10000.',
        ),
      },
      'Tokens reserved against token rates, and budgets with inputBound: estimate, for content that cannot be counted in advance: docs/limits.md.',
    ),
    heldBytes: count(
      'Maximum number of bytes that concurrent requests of all keys may hold: their decompressed bodies and the files fetched for them. Beyond it: 503. Default 536870912 (512 MiB).',
    ),
    heldBytesPerKey: count('The same for one key. Beyond it: 429. Default 268435456 (256 MiB).'),
    namedFiles: options(
      {
        count: count('Maximum number of files that one request may reference by URL. Default 64.'),
        bytes: count('Their maximum total size. Default 52428800 (50 MiB).'),
      },
      'Images and files that the gateway fetches because a request references them by URL.',
    ),
    keptResponses: options(
      {
        count: count('Maximum number. Default 10000.'),
        bytes: count('Maximum total size. Default 536870912 (512 MiB).'),
      },
      'Stored responses of one key. Beyond either limit the oldest are removed.',
    ),
    keptConversations: options(
      {
        count: count('Maximum number. Default 10000.'),
        items: count('Maximum number of items of one conversation. Default 10000.'),
        bytes: count('Maximum total size. Default 536870912 (512 MiB).'),
      },
      'Conversations of one key (/v1/conversations). Beyond the number or size, those that were used least recently are removed; a conversation that is too large takes no more: 413.',
    ),
    keptVideos: options(
      {
        count: count('Maximum number. Default 1000.'),
        bytes: count('Maximum total size of their files. Default 2147483648 (2 GiB).'),
      },
      'Video tasks of one key. The oldest failed or expired tasks are removed to make room; beyond that: 429.',
    ),
  },
  'Default limits; keys may have their own.',
)

export const media = options(
  {
    proxyResolves: flag(
      'Whether a forward proxy may resolve the host names of files that requests and providers refer to. Default false: the gateway resolves them, refuses private addresses, and asks the proxy for the address. true: for networks in which only the proxy can resolve names; then the proxy must refuse private addresses.',
    ),
  },
  'Files that requests and providers refer to by URL.',
)

export const key = object(
  {
    name: text('A name for the key, shown in lists and logs.'),
    key: text('The secret, preferably a reference such as ${TEAM_KEY}.'),
    ...options({
      models: listOf(
        text('A model name, or provider/*.'),
        'The model names that the key may use, as callers write them, including their targets and fallbacks. Default: all models.',
      ),
      requestsPerMinute: count('Requests per minute of this key.'),
      contentLogging: flag(
        'Whether the prompts and responses of this key are stored, masked. Default false.',
      ),
    }).properties,
  },
  'An API key defined in the settings.',
)

export type KeyConfig = Static<typeof key>
export type ServerConfig = Static<typeof server>
export type LimitsConfig = Static<typeof limits>
