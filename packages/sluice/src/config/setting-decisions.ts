import type { Config } from './config.ts'
import type { JwtConfig } from '@sluice/gateway/settings/schema-jwt.ts'
import type { ProviderConfig } from '@sluice/gateway/settings/schema-provider.ts'
import type { OidcSettings } from '@sluice/gateway/settings/schema-console.ts'
import type { PriceConfig } from '@sluice/gateway/settings/schema-prices.ts'
import type { Decision } from './setting-decision.ts'

/** Every text of these settings is shown. */
const eachShown = { each: 'shown' } as const

const routeOptions = {
  retries: 'shown',
  unsupported: 'shown',
  hedge: 'shown',
  sticky: 'shown',
  strategy: 'shown',
  timeouts: 'shown',
  breaker: 'shown',
} as const

const provider: Decision<ProviderConfig> = {
  members: {
    kind: 'shown',
    type: 'shown',
    baseUrl: 'url',
    key: 'secret',
    keys: { each: 'secret' },
    headers: { each: 'secret' },
    proxy: 'url',
    ca: 'shown',
    certificate: 'shown',
    certificateKey: 'secret',
    http2: 'shown',
    models: {
      each: {
        text: 'shown',
        members: {
          id: 'shown',
          upstream: 'shown',
          pricedAs: 'shown',
          inputTokenLimit: 'shown',
          outputTokenLimit: 'shown',
          maxConcurrent: 'shown',
          operations: eachShown,
        },
      },
    },
    sharedIds: 'shown',
    routingFields: 'shown',
    maxConcurrent: 'shown',
    queueLength: 'shown',
    queueMs: 'shown',
    whenFull: 'shown',
    enabled: 'shown',
    region: 'shown',
    project: 'shown',
    location: 'shown',
    resource: 'shown',
    apiVersion: 'shown',
    storageUri: 'url',
    package: 'shown',
    timeouts: 'shown',
    unsupported: 'shown',
  },
}

const model: Decision<Config['models'][string]> = {
  text: 'shown',
  members: {
    targets: {
      each: {
        members: {
          target: 'shown',
          weight: 'shown',
          priority: 'shown',
          maxConcurrent: 'shown',
          timeouts: 'shown',
        },
      },
    },
    fallback: eachShown,
    ...routeOptions,
  },
}

const sizes = {
  each: { members: { size: 'shown', quality: 'shown', price: 'shown' } },
} as const

const price: Decision<PriceConfig> = {
  members: {
    input: 'shown',
    cacheRead: 'shown',
    cacheWrite: 'shown',
    cacheWrite1h: 'shown',
    audioInput: 'shown',
    audioCacheRead: 'shown',
    imageInput: 'shown',
    output: 'shown',
    reasoning: 'shown',
    audioOutput: 'shown',
    imageOutput: 'shown',
    characters: 'shown',
    audioSeconds: 'shown',
    videoSeconds: sizes,
    images: sizes,
    searchUnits: 'shown',
    requests: 'shown',
    tools: 'shown',
    serviceTiers: 'shown',
  },
}

const jwt: Decision<JwtConfig> = {
  members: {
    issuer: 'url',
    audience: 'shown',
    jwksUrl: 'url',
    jwksFile: 'shown',
    algorithms: 'shown',
    userClaim: 'shown',
    users: eachShown,
    unknownUsers: 'shown',
    teamClaim: 'shown',
    teams: eachShown,
    modelsClaim: 'shown',
    models: eachShown,
    operations: 'shown',
    requestsPerMinute: 'shown',
    tokensPerMinute: 'shown',
    concurrentRequests: 'shown',
    budgets: eachShown,
    tags: eachShown,
    limitClaims: {
      members: {
        requestsPerMinute: 'shown',
        tokensPerMinute: 'shown',
        concurrentRequests: 'shown',
        budgets: 'shown',
        tags: 'shown',
        operations: 'shown',
      },
    },
  },
}

const oidc: Decision<OidcSettings> = {
  members: {
    issuer: 'url',
    clientId: 'shown',
    clientSecret: 'secret',
    clientAuthentication: 'shown',
    name: 'shown',
    scopes: eachShown,
    redirectUrl: 'url',
    groupsClaim: 'shown',
    nameClaim: 'shown',
    domainClaim: 'shown',
    trustEmail: 'shown',
    roles: 'shown',
    userRoles: 'shown',
    teamAdministrators: eachShown,
    teams: eachShown,
    defaultTeam: 'shown',
    allowedDomains: eachShown,
    allowedUsers: eachShown,
    createUsers: 'shown',
    endSession: 'shown',
  },
}

/** A setting that may hold a text and about which nothing is decided here does not compile. */
export const settingDecisions: Decision<Config> = {
  members: {
    server: {
      members: {
        host: 'shown',
        port: 'shown',
        publicUrl: 'url',
        trustedProxies: eachShown,
        bodyLimitBytes: 'shown',
        inflatedLimitBytes: 'shown',
        bodyLimitValues: 'shown',
        requestTimeoutMs: 'shown',
        stopTimeoutMs: 'shown',
        workerTimeoutMs: 'shown',
        drainMs: 'shown',
        workers: 'shown',
        allowPrivateMedia: 'shown',
      },
    },
    limits: {
      members: {
        requestsPerMinute: 'shown',
        tokensPerMinute: 'shown',
        concurrentRequestsPerKey: 'shown',
        timeZone: 'shown',
        unknownPrices: 'shown',
        estimates: 'shown',
        output: 'shown',
        budgetedOutputTokens: 'shown',
        budgetedOutputTokensMin: 'shown',
        inputBound: 'shown',
        concurrentRequests: 'shown',
        waitingRequests: 'shown',
        waitMs: 'shown',
        heldBytes: 'shown',
        heldBytesPerKey: 'shown',
        namedFiles: 'shown',
        keptResponses: 'shown',
        keptVideos: 'shown',
      },
    },
    builtin: { members: { enabled: 'shown', aliases: eachShown } },
    storage: { members: { url: 'url' } },
    redis: { members: { url: 'url', whenDown: 'shown', timeoutMs: 'shown' } },
    alerts: {
      members: {
        // Many webhooks are authorized by their URL alone.
        webhooks: { each: { members: { url: 'secret', secret: 'secret', events: 'shown' } } },
        errorRate: 'shown',
      },
    },
    providers: { each: provider },
    models: { each: model },
    prices: { each: price },
    usage: 'shown',
    defaults: 'shown',
    unsupported: 'shown',
    keys: {
      each: {
        members: {
          name: 'shown',
          key: 'secret',
          models: eachShown,
          requestsPerMinute: 'shown',
          contentLogging: 'shown',
        },
      },
    },
    jwt: { each: jwt },
    console: { members: { sessionMs: 'shown', oidc } },
    apiKeys: { each: 'secret' },
    adminKey: 'secret',
    log: { members: { level: 'shown', file: 'shown' } },
    telemetry: {
      members: {
        metrics: {
          members: {
            enabled: 'shown',
            listen: { members: { host: 'shown', port: 'shown' } },
            key: 'secret',
            perKey: 'shown',
          },
        },
        traces: {
          members: {
            endpoint: 'url',
            headers: { each: 'secret' },
            ratio: 'shown',
            content: 'shown',
            timeoutMs: 'shown',
            resource: eachShown,
          },
        },
      },
    },
    contentLogging: 'shown',
    dataFolder: 'shown',
    configFile: 'shown',
    configText: 'never',
    proxies: { members: { http: 'url', https: 'url', none: 'shown' } },
    media: 'shown',
    variables: 'never',
  },
}
