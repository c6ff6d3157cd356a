import type { Config } from './config.ts'
import type { JwtConfig } from '@sluice/gateway/settings/schema-jwt.ts'
import type { ProviderConfig } from '@sluice/gateway/settings/schema-provider.ts'
import type { OidcSettings } from '@sluice/gateway/settings/schema-console.ts'
import type { PriceConfig } from '@sluice/gateway/settings/schema-prices.ts'
import type { Decision } from './setting-decision.ts'

/** Every text of these settings is shown. */
const eachShown = { each: 'shown' } as const

const routeOptions = {
  unsupported: 'shown',
  sticky: 'shown',
  strategy: 'shown',
  choose: 'shown',
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
    models: {
      each: {
        text: 'shown',
        members: {
          id: 'shown',
          upstream: 'shown',
          family: 'shown',
          pricedAs: 'shown',
          operations: eachShown,
        },
      },
    },
    sharedIds: 'shown',
    routingFields: 'shown',
    whenFull: 'shown',
    region: 'shown',
    project: 'shown',
    location: 'shown',
    resource: 'shown',
    apiVersion: 'shown',
    storageUri: 'url',
    package: 'shown',
    unsupported: 'shown',
  },
}

const model: Decision<Config['models'][string]> = {
  text: 'shown',
  members: {
    targets: { each: { members: { target: 'shown' } } },
    fallback: eachShown,
    longer: eachShown,
    defaults: {
      members: {
        stop: eachShown,
        reasoning_effort: 'shown',
        verbosity: 'shown',
        service_tier: 'shown',
        user: 'shown',
        safety_identifier: 'shown',
        prompt_cache_key: 'shown',
      },
    },
    ...routeOptions,
  },
}

const sizes = { each: { members: { size: 'shown', quality: 'shown' } } } as const

const price: Decision<PriceConfig> = { members: { videoSeconds: sizes, images: sizes } }

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
    roles: 'shown',
    userRoles: 'shown',
    teamAdministrators: eachShown,
    teams: eachShown,
    defaultTeam: 'shown',
    allowedDomains: eachShown,
    allowedUsers: eachShown,
  },
}

/** A setting that may hold a text and about which nothing is decided here does not compile. */
export const settingDecisions: Decision<Config> = {
  members: {
    server: {
      members: {
        host: 'shown',
        publicUrl: 'url',
        trustedProxies: eachShown,
        workers: 'shown',
      },
    },
    limits: {
      members: {
        timeZone: 'shown',
        unknownPrices: 'shown',
        output: 'shown',
        inputBound: 'shown',
      },
    },
    builtin: {
      members: {
        enabled: 'shown',
        aliases: eachShown,
        families: { each: { members: { names: 'shown', models: eachShown } } },
      },
    },
    storage: { members: { url: 'url' } },
    redis: { members: { url: 'url', whenDown: 'shown' } },
    alerts: {
      members: {
        // Many webhooks are authorized by their URL alone.
        webhooks: { each: { members: { url: 'secret', secret: 'secret', events: 'shown' } } },
      },
    },
    providers: { each: provider },
    models: { each: model },
    defaultModel: 'shown',
    prices: { each: price },
    defaults: 'shown',
    unsupported: 'shown',
    keys: { each: { members: { name: 'shown', key: 'secret', models: eachShown } } },
    jwt: { each: jwt },
    console: { members: { oidc } },
    apiKeys: { each: 'secret' },
    adminKey: 'secret',
    encryptionKeys: { each: 'secret' },
    stored: { members: { providers: eachShown, models: eachShown, locked: eachShown } },
    log: { members: { level: 'shown', file: 'shown' } },
    telemetry: {
      members: {
        metrics: { members: { listen: { members: { host: 'shown' } }, key: 'secret' } },
        traces: {
          members: { endpoint: 'url', headers: { each: 'secret' }, resource: eachShown },
        },
      },
    },
    dataFolder: 'shown',
    configFile: 'shown',
    configText: 'never',
    proxies: { members: { http: 'url', https: 'url', none: 'shown' } },
    variables: 'never',
  },
}
