import { Type } from '@sluice/contract'
import { count, described, milliseconds, object, optional, text } from './schema-parts.ts'

export const server = object(
  {
    host: optional(text('The address to listen on. Default 127.0.0.1.')),
    port: optional(
      Type.Integer({
        minimum: 0,
        maximum: 65_535,
        ...described('The port; 0 takes a free one. Default 8080.'),
      }),
    ),
    publicUrl: optional(
      Type.String({
        pattern: '^https?://[^\\s]+$',
        ...described(
          'The URL at which callers reach the gateway, used for links in responses. Default: the URL of the request.',
        ),
      }),
    ),
    trustedProxies: optional(
      Type.Array(text('An address or a block, such as 10.0.0.0/8.'), {
        ...described(
          'Proxies in front of the gateway whose x-forwarded-for is believed, for limits by address. Default none: the address is that of the connection.',
        ),
      }),
    ),
    bodyLimitBytes: optional(
      count('Maximum size of a request body after decompression. Default 134217728 (128 MiB).'),
    ),
    inflatedLimitBytes: optional(
      count(
        'The largest request body that comes compressed, after decompression. Default 67108864 (64 MiB).',
      ),
    ),
    bodyLimitValues: optional(
      count(
        'The most values in a JSON body; each text, name, list and object counts as four. Default 500000.',
      ),
    ),
    requestTimeoutMs: optional(milliseconds('Time limit for receiving a request. Default 120000.')),
    workers: optional(
      Type.Union([count('So many.'), Type.Literal('auto')], {
        ...described(
          'How many processes serve the port, on one machine; auto: as many as there are cores. SLUICE_WORKERS and serve --workers take precedence. Default 1.',
        ),
      }),
    ),
    workerTimeoutMs: optional(
      milliseconds(
        'How long one of several workers may leave the process that started it without an answer, before it is killed and started again. Default 30000.',
      ),
    ),
    drainMs: optional(
      Type.Integer({
        minimum: 0,
        ...described(
          'How long the gateway goes on accepting requests after the signal to stop, while /readyz says that it is not ready, so that whatever sends it requests can look elsewhere. Default 0.',
        ),
      }),
    ),
    stopTimeoutMs: optional(
      milliseconds(
        'How long requests and streams under way may go on after the signal to stop, before each ends with an error. Whatever stops the process has to wait two seconds longer. Default 10000.',
      ),
    ),
    allowPrivateMedia: optional(
      Type.Boolean(
        described(
          'Whether media URLs in requests may point to private addresses. Default false: they are refused.',
        ),
      ),
    ),
  },
  'The HTTP server.',
)

const redisUrlPattern = '^rediss?://[^\\s]+$'

export const redis = object(
  {
    url: optional(
      Type.String({
        pattern: redisUrlPattern,
        ...described(
          'A Redis or Valkey server, such as redis://127.0.0.1:6379, in which several gateways keep their limits together. REDIS_URL takes precedence. Default: limits are kept in memory, for each process alone. A change takes effect at the next start.',
        ),
      }),
    ),
    whenDown: optional(
      Type.Enum(['refuse', 'local'], {
        ...described(
          'What happens to limited calls while Redis does not answer. refuse (default): 503. local: each process grants its share of every limit, 1 / processes; a budget is shared as far as it was seen to be left.',
        ),
      }),
    ),
    processes: optional(
      count('How many processes share the limits, for whenDown: local. Default 1.'),
    ),
    timeoutMs: optional(milliseconds('How long Redis may take for an answer. Default 250.')),
  },
  'Limits that several gateways share.',
)

export const limits = object(
  {
    requestsPerMinute: optional(
      count('Requests per minute for each key without a limit of its own. Default: no limit.'),
    ),
    tokensPerMinute: optional(
      count(
        'Tokens per minute for each key, input and output together. They are estimated before an upstream is asked, and counted when the call has ended. Default: no limit.',
      ),
    ),
    concurrentRequestsPerKey: optional(
      count(
        'Maximum number of concurrent requests of one key. Beyond it: 429. Default: no limit of its own; of concurrentRequests one key may hold nine tenths.',
      ),
    ),
    concurrentRequests: optional(
      count(
        'Maximum number of concurrent requests, all keys together, of one gateway with all of its workers. Those beyond it wait, and keys take turns. One key may hold all places but a tenth, rounded down. Default: no limit.',
      ),
    ),
    waitingRequests: optional(
      count(
        'How many requests may wait for a place of concurrentRequests. Beyond it: 503. One key may have half of them; beyond it: 429. Default 1000.',
      ),
    ),
    waitMs: optional(
      Type.Integer({
        minimum: 0,
        ...described(
          'How long a request may wait for a place of concurrentRequests, before it is refused with 503. 0: not at all. Default 5000.',
        ),
      }),
    ),
    unknownPrices: optional(
      Type.Enum(['refuse', 'allow'], {
        ...described(
          'What happens to a call that a budget counts where nobody knows the price of a target. refuse (default): 403. allow: it is let in, and counts with what is known of its cost.',
        ),
      }),
    ),
    estimates: optional(
      object(
        {
          outputTokens: optional(
            count(
              'Of an answer, where the request does not say how many it may have at most and the model has not answered yet; later the longest of late. Default 1024.',
            ),
          ),
          imageTokens: optional(count('Of a picture. Default 2000.')),
          fileTokens: optional(
            count('Of a file that is named by an id or an address. Default 10000.'),
          ),
          historyTokens: optional(
            count('Of a conversation, prompt or cache that a provider keeps. Default 10000.'),
          ),
        },
        'Tokens that are put aside, for limits of tokens and budgets, for what nobody can count before an upstream has: docs/limits.md.',
      ),
    ),
    heldBytes: optional(
      count(
        'Bytes that requests may hold at the same time, all keys together: their bodies, after decompression, and what they name for fetching. Beyond it: 503. Default 536870912 (512 MiB).',
      ),
    ),
    heldBytesPerKey: optional(
      count('The same for the requests of one key. Beyond it: 429. Default 268435456 (256 MiB).'),
    ),
    namedFiles: optional(
      object(
        {
          count: optional(
            count('The most files that one request may name by their addresses. Default 64.'),
          ),
          bytes: optional(count('What they may have in all. Default 52428800 (50 MiB).')),
        },
        'Pictures and files that the gateway fetches because a request names them.',
      ),
    ),
    keptResponses: optional(
      object(
        {
          count: optional(count('How many. Default 10000.')),
          bytes: optional(count('What they may have in all. Default 536870912 (512 MiB).')),
        },
        'Stored responses of one key. Beyond either bound its oldest are removed.',
      ),
    ),
    keptVideos: optional(
      object(
        {
          count: optional(count('How many. Default 1000.')),
          bytes: optional(count('What their files may have in all. Default 2147483648 (2 GiB).')),
        },
        'Video tasks of one key. Its oldest that have failed or expired make room; beyond that: 429.',
      ),
    ),
  },
  'Default limits; a key may have its own.',
)
