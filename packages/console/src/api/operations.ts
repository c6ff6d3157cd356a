// Made of the OpenAPI document by build/console-api.ts.

/** What each operation is asked with, and what it answers. */
export interface Operations {
  listModels: {
    path: {  }; query: { operation?: "chat" | "complete" | "embed" | "rerank" | "moderate" | "transcribe" | "translate" | "speak" | "createImage" | "editImage" | "createVideo" | "getVideo" | "downloadVideo" }; body: undefined
    reply: { object: "list"; data: readonly ({ id: string; object: "model"; created: number; owned_by: string; operations: readonly (string)[] })[] }
  }
  getOwnUsage: {
    path: {  }; query: { of?: "key" | "user"; by?: string; from?: string; to?: string; key?: string; provider?: string; model?: string; operation?: string; tag?: string }; body: undefined
    reply: { key: { id: string; name: string }; from: string; to: string; data: readonly ({ attempts?: number; calls?: number; unknownCosts?: number; estimated?: number; unsettled?: number; costMicroUsd?: number | null; inputTokens?: number; outputTokens?: number; firstTokenP50Ms?: number | null; firstTokenP95Ms?: number | null } & Readonly<Record<string, string | number | null>>)[]; total: { attempts?: number; calls?: number; unknownCosts?: number; estimated?: number; unsettled?: number; costMicroUsd?: number | null; inputTokens?: number; outputTokens?: number; firstTokenP50Ms?: number | null; firstTokenP95Ms?: number | null } & Readonly<Record<string, string | number | null>>; pending: number; limits: readonly ({ of: string; kind: string; unit: string; limit: number | null; remaining: number | null; resetMs: number | null })[] }
  }
  listOwnKeys: {
    path: {  }; query: {  }; body: undefined
    reply: { object: "list"; data: readonly ({ object: "key"; id: string; name: string; role: "caller" | "administrator"; prefix: string; createdAt: number; adminRole?: "owner" | "operator" | "viewer" | "team"; ownerId?: string; disabledAt?: number; revokedAt?: number; lastUsedAt?: number; olderSecrets?: readonly ({ prefix: string; expiresAt: number })[]; expiresAt?: number; models?: readonly (string)[]; operations?: readonly ("chat" | "complete" | "embed" | "rerank" | "moderate" | "transcribe" | "translate" | "speak" | "createImage" | "editImage" | "createVideo" | "getVideo" | "downloadVideo")[]; addresses?: readonly (string)[]; requestsPerMinute?: number; tokensPerMinute?: number; concurrentRequests?: number; budgets?: readonly ({ id?: string; limitMicroUsd: number; window: "day" | "week" | "month" | "lifetime" | number; timeZone?: string; resetAt?: number; carried?: { microUsd: number; at: number }; model?: string; tag?: string; overBudget?: { route: string } })[]; output?: "limit" | "reserve" | "refuse"; inputBound?: "bytes" | "estimate"; metadata?: Readonly<Record<string, string>>; tags?: readonly (string)[]; contentLogging?: boolean; levels?: readonly ({ id: string; limitMicroUsd: number; remainingMicroUsd: number; resetMs: number | null })[] })[] }
  }
  createOwnKey: {
    path: {  }; query: {  }; body: { name: string; expiresAt?: number; models?: readonly (string)[]; operations?: readonly ("chat" | "complete" | "embed" | "rerank" | "moderate" | "transcribe" | "translate" | "speak" | "createImage" | "editImage" | "createVideo" | "getVideo" | "downloadVideo")[]; addresses?: readonly (string)[]; requestsPerMinute?: number; tokensPerMinute?: number; concurrentRequests?: number; budgets?: readonly ({ id?: string; limitMicroUsd: number; window: "day" | "week" | "month" | "lifetime" | number; timeZone?: string; resetAt?: number; carried?: { microUsd: number; at: number }; model?: string; tag?: string; overBudget?: { route: string } })[] }
    reply: { object: "key"; id: string; name: string; role: "caller" | "administrator"; prefix: string; createdAt: number; adminRole?: "owner" | "operator" | "viewer" | "team"; ownerId?: string; disabledAt?: number; revokedAt?: number; lastUsedAt?: number; olderSecrets?: readonly ({ prefix: string; expiresAt: number })[]; expiresAt?: number; models?: readonly (string)[]; operations?: readonly ("chat" | "complete" | "embed" | "rerank" | "moderate" | "transcribe" | "translate" | "speak" | "createImage" | "editImage" | "createVideo" | "getVideo" | "downloadVideo")[]; addresses?: readonly (string)[]; requestsPerMinute?: number; tokensPerMinute?: number; concurrentRequests?: number; budgets?: readonly ({ id?: string; limitMicroUsd: number; window: "day" | "week" | "month" | "lifetime" | number; timeZone?: string; resetAt?: number; carried?: { microUsd: number; at: number }; model?: string; tag?: string; overBudget?: { route: string } })[]; output?: "limit" | "reserve" | "refuse"; inputBound?: "bytes" | "estimate"; metadata?: Readonly<Record<string, string>>; tags?: readonly (string)[]; contentLogging?: boolean; secret: string }
  }
  rotateOwnKey: {
    path: { id: string }; query: {  }; body: { overlapSeconds?: number }
    reply: { object: "key"; id: string; name: string; role: "caller" | "administrator"; prefix: string; createdAt: number; adminRole?: "owner" | "operator" | "viewer" | "team"; ownerId?: string; disabledAt?: number; revokedAt?: number; lastUsedAt?: number; olderSecrets?: readonly ({ prefix: string; expiresAt: number })[]; expiresAt?: number; models?: readonly (string)[]; operations?: readonly ("chat" | "complete" | "embed" | "rerank" | "moderate" | "transcribe" | "translate" | "speak" | "createImage" | "editImage" | "createVideo" | "getVideo" | "downloadVideo")[]; addresses?: readonly (string)[]; requestsPerMinute?: number; tokensPerMinute?: number; concurrentRequests?: number; budgets?: readonly ({ id?: string; limitMicroUsd: number; window: "day" | "week" | "month" | "lifetime" | number; timeZone?: string; resetAt?: number; carried?: { microUsd: number; at: number }; model?: string; tag?: string; overBudget?: { route: string } })[]; output?: "limit" | "reserve" | "refuse"; inputBound?: "bytes" | "estimate"; metadata?: Readonly<Record<string, string>>; tags?: readonly (string)[]; contentLogging?: boolean; secret: string }
  }
  revokeOwnKey: {
    path: { id: string }; query: {  }; body: undefined
    reply: { object: "key"; id: string; name: string; role: "caller" | "administrator"; prefix: string; createdAt: number; adminRole?: "owner" | "operator" | "viewer" | "team"; ownerId?: string; disabledAt?: number; revokedAt?: number; lastUsedAt?: number; olderSecrets?: readonly ({ prefix: string; expiresAt: number })[]; expiresAt?: number; models?: readonly (string)[]; operations?: readonly ("chat" | "complete" | "embed" | "rerank" | "moderate" | "transcribe" | "translate" | "speak" | "createImage" | "editImage" | "createVideo" | "getVideo" | "downloadVideo")[]; addresses?: readonly (string)[]; requestsPerMinute?: number; tokensPerMinute?: number; concurrentRequests?: number; budgets?: readonly ({ id?: string; limitMicroUsd: number; window: "day" | "week" | "month" | "lifetime" | number; timeZone?: string; resetAt?: number; carried?: { microUsd: number; at: number }; model?: string; tag?: string; overBudget?: { route: string } })[]; output?: "limit" | "reserve" | "refuse"; inputBound?: "bytes" | "estimate"; metadata?: Readonly<Record<string, string>>; tags?: readonly (string)[]; contentLogging?: boolean }
  }
  explain: {
    path: {  }; query: {  }; body: { path?: string; request: Readonly<Record<string, unknown>> }
    reply: { model: string; targets: readonly (Readonly<Record<string, unknown>>)[] }
  }
  listOrganizations: {
    path: {  }; query: { limit?: number; after?: string; order?: "asc" | "desc"; search?: string }; body: undefined
    reply: { object: "list"; data: readonly ({ object: "organization" | "team" | "user"; id: string; kind: "organization" | "team" | "user"; name: string; createdAt: number; parentId?: string; identity?: string; disabledAt?: number; expiresAt?: number; models?: readonly (string)[]; operations?: readonly ("chat" | "complete" | "embed" | "rerank" | "moderate" | "transcribe" | "translate" | "speak" | "createImage" | "editImage" | "createVideo" | "getVideo" | "downloadVideo")[]; addresses?: readonly (string)[]; requestsPerMinute?: number; tokensPerMinute?: number; concurrentRequests?: number; budgets?: readonly ({ id?: string; limitMicroUsd: number; window: "day" | "week" | "month" | "lifetime" | number; timeZone?: string; resetAt?: number; carried?: { microUsd: number; at: number }; model?: string; tag?: string; overBudget?: { route: string } })[]; output?: "limit" | "reserve" | "refuse"; inputBound?: "bytes" | "estimate"; metadata?: Readonly<Record<string, string>>; tags?: readonly (string)[]; contentLogging?: boolean; ownKeys?: boolean })[]; first_id: string | null; last_id: string | null; has_more: boolean }
  }
  createOrganization: {
    path: {  }; query: {  }; body: { name: string; unique?: boolean; expiresAt?: number; models?: readonly (string)[]; operations?: readonly ("chat" | "complete" | "embed" | "rerank" | "moderate" | "transcribe" | "translate" | "speak" | "createImage" | "editImage" | "createVideo" | "getVideo" | "downloadVideo")[]; addresses?: readonly (string)[]; requestsPerMinute?: number; tokensPerMinute?: number; concurrentRequests?: number; budgets?: readonly ({ id?: string; limitMicroUsd: number; window: "day" | "week" | "month" | "lifetime" | number; timeZone?: string; resetAt?: number; carried?: { microUsd: number; at: number }; model?: string; tag?: string; overBudget?: { route: string } })[]; output?: "limit" | "reserve" | "refuse"; inputBound?: "bytes" | "estimate"; metadata?: Readonly<Record<string, string>>; tags?: readonly (string)[]; contentLogging?: boolean; ownKeys?: boolean }
    reply: { object: "organization" | "team" | "user"; id: string; kind: "organization" | "team" | "user"; name: string; createdAt: number; parentId?: string; identity?: string; disabledAt?: number; expiresAt?: number; models?: readonly (string)[]; operations?: readonly ("chat" | "complete" | "embed" | "rerank" | "moderate" | "transcribe" | "translate" | "speak" | "createImage" | "editImage" | "createVideo" | "getVideo" | "downloadVideo")[]; addresses?: readonly (string)[]; requestsPerMinute?: number; tokensPerMinute?: number; concurrentRequests?: number; budgets?: readonly ({ id?: string; limitMicroUsd: number; window: "day" | "week" | "month" | "lifetime" | number; timeZone?: string; resetAt?: number; carried?: { microUsd: number; at: number }; model?: string; tag?: string; overBudget?: { route: string } })[]; output?: "limit" | "reserve" | "refuse"; inputBound?: "bytes" | "estimate"; metadata?: Readonly<Record<string, string>>; tags?: readonly (string)[]; contentLogging?: boolean; ownKeys?: boolean }
  }
  getOrganization: {
    path: { id: string }; query: {  }; body: undefined
    reply: { object: "organization" | "team" | "user"; id: string; kind: "organization" | "team" | "user"; name: string; createdAt: number; parentId?: string; identity?: string; disabledAt?: number; expiresAt?: number; models?: readonly (string)[]; operations?: readonly ("chat" | "complete" | "embed" | "rerank" | "moderate" | "transcribe" | "translate" | "speak" | "createImage" | "editImage" | "createVideo" | "getVideo" | "downloadVideo")[]; addresses?: readonly (string)[]; requestsPerMinute?: number; tokensPerMinute?: number; concurrentRequests?: number; budgets?: readonly ({ id?: string; limitMicroUsd: number; window: "day" | "week" | "month" | "lifetime" | number; timeZone?: string; resetAt?: number; carried?: { microUsd: number; at: number }; model?: string; tag?: string; overBudget?: { route: string } })[]; output?: "limit" | "reserve" | "refuse"; inputBound?: "bytes" | "estimate"; metadata?: Readonly<Record<string, string>>; tags?: readonly (string)[]; contentLogging?: boolean; ownKeys?: boolean }
  }
  changeOrganization: {
    path: { id: string }; query: {  }; body: { name?: string; expiresAt?: number | null; models?: readonly (string)[] | null; operations?: readonly ("chat" | "complete" | "embed" | "rerank" | "moderate" | "transcribe" | "translate" | "speak" | "createImage" | "editImage" | "createVideo" | "getVideo" | "downloadVideo")[] | null; addresses?: readonly (string)[] | null; requestsPerMinute?: number | null; tokensPerMinute?: number | null; concurrentRequests?: number | null; budgets?: readonly ({ id?: string; limitMicroUsd: number; window: "day" | "week" | "month" | "lifetime" | number; timeZone?: string; resetAt?: number; carried?: { microUsd: number; at: number }; model?: string; tag?: string; overBudget?: { route: string } })[] | null; output?: "limit" | "reserve" | "refuse" | null; inputBound?: "bytes" | "estimate" | null; metadata?: Readonly<Record<string, string>> | null; tags?: readonly (string)[] | null; contentLogging?: boolean | null; ownKeys?: boolean | null }
    reply: { object: "organization" | "team" | "user"; id: string; kind: "organization" | "team" | "user"; name: string; createdAt: number; parentId?: string; identity?: string; disabledAt?: number; expiresAt?: number; models?: readonly (string)[]; operations?: readonly ("chat" | "complete" | "embed" | "rerank" | "moderate" | "transcribe" | "translate" | "speak" | "createImage" | "editImage" | "createVideo" | "getVideo" | "downloadVideo")[]; addresses?: readonly (string)[]; requestsPerMinute?: number; tokensPerMinute?: number; concurrentRequests?: number; budgets?: readonly ({ id?: string; limitMicroUsd: number; window: "day" | "week" | "month" | "lifetime" | number; timeZone?: string; resetAt?: number; carried?: { microUsd: number; at: number }; model?: string; tag?: string; overBudget?: { route: string } })[]; output?: "limit" | "reserve" | "refuse"; inputBound?: "bytes" | "estimate"; metadata?: Readonly<Record<string, string>>; tags?: readonly (string)[]; contentLogging?: boolean; ownKeys?: boolean }
  }
  deleteOrganization: {
    path: { id: string }; query: {  }; body: undefined
    reply: { id?: string; deleted?: true }
  }
  disableOrganization: {
    path: { id: string }; query: {  }; body: undefined
    reply: { object: "organization" | "team" | "user"; id: string; kind: "organization" | "team" | "user"; name: string; createdAt: number; parentId?: string; identity?: string; disabledAt?: number; expiresAt?: number; models?: readonly (string)[]; operations?: readonly ("chat" | "complete" | "embed" | "rerank" | "moderate" | "transcribe" | "translate" | "speak" | "createImage" | "editImage" | "createVideo" | "getVideo" | "downloadVideo")[]; addresses?: readonly (string)[]; requestsPerMinute?: number; tokensPerMinute?: number; concurrentRequests?: number; budgets?: readonly ({ id?: string; limitMicroUsd: number; window: "day" | "week" | "month" | "lifetime" | number; timeZone?: string; resetAt?: number; carried?: { microUsd: number; at: number }; model?: string; tag?: string; overBudget?: { route: string } })[]; output?: "limit" | "reserve" | "refuse"; inputBound?: "bytes" | "estimate"; metadata?: Readonly<Record<string, string>>; tags?: readonly (string)[]; contentLogging?: boolean; ownKeys?: boolean }
  }
  enableOrganization: {
    path: { id: string }; query: {  }; body: undefined
    reply: { object: "organization" | "team" | "user"; id: string; kind: "organization" | "team" | "user"; name: string; createdAt: number; parentId?: string; identity?: string; disabledAt?: number; expiresAt?: number; models?: readonly (string)[]; operations?: readonly ("chat" | "complete" | "embed" | "rerank" | "moderate" | "transcribe" | "translate" | "speak" | "createImage" | "editImage" | "createVideo" | "getVideo" | "downloadVideo")[]; addresses?: readonly (string)[]; requestsPerMinute?: number; tokensPerMinute?: number; concurrentRequests?: number; budgets?: readonly ({ id?: string; limitMicroUsd: number; window: "day" | "week" | "month" | "lifetime" | number; timeZone?: string; resetAt?: number; carried?: { microUsd: number; at: number }; model?: string; tag?: string; overBudget?: { route: string } })[]; output?: "limit" | "reserve" | "refuse"; inputBound?: "bytes" | "estimate"; metadata?: Readonly<Record<string, string>>; tags?: readonly (string)[]; contentLogging?: boolean; ownKeys?: boolean }
  }
  listTeams: {
    path: {  }; query: { limit?: number; after?: string; order?: "asc" | "desc"; search?: string; parentId?: string }; body: undefined
    reply: { object: "list"; data: readonly ({ object: "organization" | "team" | "user"; id: string; kind: "organization" | "team" | "user"; name: string; createdAt: number; parentId?: string; identity?: string; disabledAt?: number; expiresAt?: number; models?: readonly (string)[]; operations?: readonly ("chat" | "complete" | "embed" | "rerank" | "moderate" | "transcribe" | "translate" | "speak" | "createImage" | "editImage" | "createVideo" | "getVideo" | "downloadVideo")[]; addresses?: readonly (string)[]; requestsPerMinute?: number; tokensPerMinute?: number; concurrentRequests?: number; budgets?: readonly ({ id?: string; limitMicroUsd: number; window: "day" | "week" | "month" | "lifetime" | number; timeZone?: string; resetAt?: number; carried?: { microUsd: number; at: number }; model?: string; tag?: string; overBudget?: { route: string } })[]; output?: "limit" | "reserve" | "refuse"; inputBound?: "bytes" | "estimate"; metadata?: Readonly<Record<string, string>>; tags?: readonly (string)[]; contentLogging?: boolean; ownKeys?: boolean })[]; first_id: string | null; last_id: string | null; has_more: boolean }
  }
  createTeam: {
    path: {  }; query: {  }; body: { name: string; parentId?: string; unique?: boolean; expiresAt?: number; models?: readonly (string)[]; operations?: readonly ("chat" | "complete" | "embed" | "rerank" | "moderate" | "transcribe" | "translate" | "speak" | "createImage" | "editImage" | "createVideo" | "getVideo" | "downloadVideo")[]; addresses?: readonly (string)[]; requestsPerMinute?: number; tokensPerMinute?: number; concurrentRequests?: number; budgets?: readonly ({ id?: string; limitMicroUsd: number; window: "day" | "week" | "month" | "lifetime" | number; timeZone?: string; resetAt?: number; carried?: { microUsd: number; at: number }; model?: string; tag?: string; overBudget?: { route: string } })[]; output?: "limit" | "reserve" | "refuse"; inputBound?: "bytes" | "estimate"; metadata?: Readonly<Record<string, string>>; tags?: readonly (string)[]; contentLogging?: boolean; ownKeys?: boolean }
    reply: { object: "organization" | "team" | "user"; id: string; kind: "organization" | "team" | "user"; name: string; createdAt: number; parentId?: string; identity?: string; disabledAt?: number; expiresAt?: number; models?: readonly (string)[]; operations?: readonly ("chat" | "complete" | "embed" | "rerank" | "moderate" | "transcribe" | "translate" | "speak" | "createImage" | "editImage" | "createVideo" | "getVideo" | "downloadVideo")[]; addresses?: readonly (string)[]; requestsPerMinute?: number; tokensPerMinute?: number; concurrentRequests?: number; budgets?: readonly ({ id?: string; limitMicroUsd: number; window: "day" | "week" | "month" | "lifetime" | number; timeZone?: string; resetAt?: number; carried?: { microUsd: number; at: number }; model?: string; tag?: string; overBudget?: { route: string } })[]; output?: "limit" | "reserve" | "refuse"; inputBound?: "bytes" | "estimate"; metadata?: Readonly<Record<string, string>>; tags?: readonly (string)[]; contentLogging?: boolean; ownKeys?: boolean }
  }
  getTeam: {
    path: { id: string }; query: {  }; body: undefined
    reply: { object: "organization" | "team" | "user"; id: string; kind: "organization" | "team" | "user"; name: string; createdAt: number; parentId?: string; identity?: string; disabledAt?: number; expiresAt?: number; models?: readonly (string)[]; operations?: readonly ("chat" | "complete" | "embed" | "rerank" | "moderate" | "transcribe" | "translate" | "speak" | "createImage" | "editImage" | "createVideo" | "getVideo" | "downloadVideo")[]; addresses?: readonly (string)[]; requestsPerMinute?: number; tokensPerMinute?: number; concurrentRequests?: number; budgets?: readonly ({ id?: string; limitMicroUsd: number; window: "day" | "week" | "month" | "lifetime" | number; timeZone?: string; resetAt?: number; carried?: { microUsd: number; at: number }; model?: string; tag?: string; overBudget?: { route: string } })[]; output?: "limit" | "reserve" | "refuse"; inputBound?: "bytes" | "estimate"; metadata?: Readonly<Record<string, string>>; tags?: readonly (string)[]; contentLogging?: boolean; ownKeys?: boolean }
  }
  changeTeam: {
    path: { id: string }; query: {  }; body: { name?: string; expiresAt?: number | null; models?: readonly (string)[] | null; operations?: readonly ("chat" | "complete" | "embed" | "rerank" | "moderate" | "transcribe" | "translate" | "speak" | "createImage" | "editImage" | "createVideo" | "getVideo" | "downloadVideo")[] | null; addresses?: readonly (string)[] | null; requestsPerMinute?: number | null; tokensPerMinute?: number | null; concurrentRequests?: number | null; budgets?: readonly ({ id?: string; limitMicroUsd: number; window: "day" | "week" | "month" | "lifetime" | number; timeZone?: string; resetAt?: number; carried?: { microUsd: number; at: number }; model?: string; tag?: string; overBudget?: { route: string } })[] | null; output?: "limit" | "reserve" | "refuse" | null; inputBound?: "bytes" | "estimate" | null; metadata?: Readonly<Record<string, string>> | null; tags?: readonly (string)[] | null; contentLogging?: boolean | null; ownKeys?: boolean | null; parentId?: string | null }
    reply: { object: "organization" | "team" | "user"; id: string; kind: "organization" | "team" | "user"; name: string; createdAt: number; parentId?: string; identity?: string; disabledAt?: number; expiresAt?: number; models?: readonly (string)[]; operations?: readonly ("chat" | "complete" | "embed" | "rerank" | "moderate" | "transcribe" | "translate" | "speak" | "createImage" | "editImage" | "createVideo" | "getVideo" | "downloadVideo")[]; addresses?: readonly (string)[]; requestsPerMinute?: number; tokensPerMinute?: number; concurrentRequests?: number; budgets?: readonly ({ id?: string; limitMicroUsd: number; window: "day" | "week" | "month" | "lifetime" | number; timeZone?: string; resetAt?: number; carried?: { microUsd: number; at: number }; model?: string; tag?: string; overBudget?: { route: string } })[]; output?: "limit" | "reserve" | "refuse"; inputBound?: "bytes" | "estimate"; metadata?: Readonly<Record<string, string>>; tags?: readonly (string)[]; contentLogging?: boolean; ownKeys?: boolean }
  }
  deleteTeam: {
    path: { id: string }; query: {  }; body: undefined
    reply: { id?: string; deleted?: true }
  }
  disableTeam: {
    path: { id: string }; query: {  }; body: undefined
    reply: { object: "organization" | "team" | "user"; id: string; kind: "organization" | "team" | "user"; name: string; createdAt: number; parentId?: string; identity?: string; disabledAt?: number; expiresAt?: number; models?: readonly (string)[]; operations?: readonly ("chat" | "complete" | "embed" | "rerank" | "moderate" | "transcribe" | "translate" | "speak" | "createImage" | "editImage" | "createVideo" | "getVideo" | "downloadVideo")[]; addresses?: readonly (string)[]; requestsPerMinute?: number; tokensPerMinute?: number; concurrentRequests?: number; budgets?: readonly ({ id?: string; limitMicroUsd: number; window: "day" | "week" | "month" | "lifetime" | number; timeZone?: string; resetAt?: number; carried?: { microUsd: number; at: number }; model?: string; tag?: string; overBudget?: { route: string } })[]; output?: "limit" | "reserve" | "refuse"; inputBound?: "bytes" | "estimate"; metadata?: Readonly<Record<string, string>>; tags?: readonly (string)[]; contentLogging?: boolean; ownKeys?: boolean }
  }
  enableTeam: {
    path: { id: string }; query: {  }; body: undefined
    reply: { object: "organization" | "team" | "user"; id: string; kind: "organization" | "team" | "user"; name: string; createdAt: number; parentId?: string; identity?: string; disabledAt?: number; expiresAt?: number; models?: readonly (string)[]; operations?: readonly ("chat" | "complete" | "embed" | "rerank" | "moderate" | "transcribe" | "translate" | "speak" | "createImage" | "editImage" | "createVideo" | "getVideo" | "downloadVideo")[]; addresses?: readonly (string)[]; requestsPerMinute?: number; tokensPerMinute?: number; concurrentRequests?: number; budgets?: readonly ({ id?: string; limitMicroUsd: number; window: "day" | "week" | "month" | "lifetime" | number; timeZone?: string; resetAt?: number; carried?: { microUsd: number; at: number }; model?: string; tag?: string; overBudget?: { route: string } })[]; output?: "limit" | "reserve" | "refuse"; inputBound?: "bytes" | "estimate"; metadata?: Readonly<Record<string, string>>; tags?: readonly (string)[]; contentLogging?: boolean; ownKeys?: boolean }
  }
  listUsers: {
    path: {  }; query: { limit?: number; after?: string; order?: "asc" | "desc"; search?: string; parentId?: string }; body: undefined
    reply: { object: "list"; data: readonly ({ object: "organization" | "team" | "user"; id: string; kind: "organization" | "team" | "user"; name: string; createdAt: number; parentId?: string; identity?: string; disabledAt?: number; expiresAt?: number; models?: readonly (string)[]; operations?: readonly ("chat" | "complete" | "embed" | "rerank" | "moderate" | "transcribe" | "translate" | "speak" | "createImage" | "editImage" | "createVideo" | "getVideo" | "downloadVideo")[]; addresses?: readonly (string)[]; requestsPerMinute?: number; tokensPerMinute?: number; concurrentRequests?: number; budgets?: readonly ({ id?: string; limitMicroUsd: number; window: "day" | "week" | "month" | "lifetime" | number; timeZone?: string; resetAt?: number; carried?: { microUsd: number; at: number }; model?: string; tag?: string; overBudget?: { route: string } })[]; output?: "limit" | "reserve" | "refuse"; inputBound?: "bytes" | "estimate"; metadata?: Readonly<Record<string, string>>; tags?: readonly (string)[]; contentLogging?: boolean; ownKeys?: boolean })[]; first_id: string | null; last_id: string | null; has_more: boolean }
  }
  createUser: {
    path: {  }; query: {  }; body: { name: string; parentId?: string; unique?: boolean; expiresAt?: number; models?: readonly (string)[]; operations?: readonly ("chat" | "complete" | "embed" | "rerank" | "moderate" | "transcribe" | "translate" | "speak" | "createImage" | "editImage" | "createVideo" | "getVideo" | "downloadVideo")[]; addresses?: readonly (string)[]; requestsPerMinute?: number; tokensPerMinute?: number; concurrentRequests?: number; budgets?: readonly ({ id?: string; limitMicroUsd: number; window: "day" | "week" | "month" | "lifetime" | number; timeZone?: string; resetAt?: number; carried?: { microUsd: number; at: number }; model?: string; tag?: string; overBudget?: { route: string } })[]; output?: "limit" | "reserve" | "refuse"; inputBound?: "bytes" | "estimate"; metadata?: Readonly<Record<string, string>>; tags?: readonly (string)[]; contentLogging?: boolean; ownKeys?: boolean }
    reply: { object: "organization" | "team" | "user"; id: string; kind: "organization" | "team" | "user"; name: string; createdAt: number; parentId?: string; identity?: string; disabledAt?: number; expiresAt?: number; models?: readonly (string)[]; operations?: readonly ("chat" | "complete" | "embed" | "rerank" | "moderate" | "transcribe" | "translate" | "speak" | "createImage" | "editImage" | "createVideo" | "getVideo" | "downloadVideo")[]; addresses?: readonly (string)[]; requestsPerMinute?: number; tokensPerMinute?: number; concurrentRequests?: number; budgets?: readonly ({ id?: string; limitMicroUsd: number; window: "day" | "week" | "month" | "lifetime" | number; timeZone?: string; resetAt?: number; carried?: { microUsd: number; at: number }; model?: string; tag?: string; overBudget?: { route: string } })[]; output?: "limit" | "reserve" | "refuse"; inputBound?: "bytes" | "estimate"; metadata?: Readonly<Record<string, string>>; tags?: readonly (string)[]; contentLogging?: boolean; ownKeys?: boolean }
  }
  getUser: {
    path: { id: string }; query: {  }; body: undefined
    reply: { object: "organization" | "team" | "user"; id: string; kind: "organization" | "team" | "user"; name: string; createdAt: number; parentId?: string; identity?: string; disabledAt?: number; expiresAt?: number; models?: readonly (string)[]; operations?: readonly ("chat" | "complete" | "embed" | "rerank" | "moderate" | "transcribe" | "translate" | "speak" | "createImage" | "editImage" | "createVideo" | "getVideo" | "downloadVideo")[]; addresses?: readonly (string)[]; requestsPerMinute?: number; tokensPerMinute?: number; concurrentRequests?: number; budgets?: readonly ({ id?: string; limitMicroUsd: number; window: "day" | "week" | "month" | "lifetime" | number; timeZone?: string; resetAt?: number; carried?: { microUsd: number; at: number }; model?: string; tag?: string; overBudget?: { route: string } })[]; output?: "limit" | "reserve" | "refuse"; inputBound?: "bytes" | "estimate"; metadata?: Readonly<Record<string, string>>; tags?: readonly (string)[]; contentLogging?: boolean; ownKeys?: boolean }
  }
  changeUser: {
    path: { id: string }; query: {  }; body: { name?: string; expiresAt?: number | null; models?: readonly (string)[] | null; operations?: readonly ("chat" | "complete" | "embed" | "rerank" | "moderate" | "transcribe" | "translate" | "speak" | "createImage" | "editImage" | "createVideo" | "getVideo" | "downloadVideo")[] | null; addresses?: readonly (string)[] | null; requestsPerMinute?: number | null; tokensPerMinute?: number | null; concurrentRequests?: number | null; budgets?: readonly ({ id?: string; limitMicroUsd: number; window: "day" | "week" | "month" | "lifetime" | number; timeZone?: string; resetAt?: number; carried?: { microUsd: number; at: number }; model?: string; tag?: string; overBudget?: { route: string } })[] | null; output?: "limit" | "reserve" | "refuse" | null; inputBound?: "bytes" | "estimate" | null; metadata?: Readonly<Record<string, string>> | null; tags?: readonly (string)[] | null; contentLogging?: boolean | null; ownKeys?: boolean | null; parentId?: string | null }
    reply: { object: "organization" | "team" | "user"; id: string; kind: "organization" | "team" | "user"; name: string; createdAt: number; parentId?: string; identity?: string; disabledAt?: number; expiresAt?: number; models?: readonly (string)[]; operations?: readonly ("chat" | "complete" | "embed" | "rerank" | "moderate" | "transcribe" | "translate" | "speak" | "createImage" | "editImage" | "createVideo" | "getVideo" | "downloadVideo")[]; addresses?: readonly (string)[]; requestsPerMinute?: number; tokensPerMinute?: number; concurrentRequests?: number; budgets?: readonly ({ id?: string; limitMicroUsd: number; window: "day" | "week" | "month" | "lifetime" | number; timeZone?: string; resetAt?: number; carried?: { microUsd: number; at: number }; model?: string; tag?: string; overBudget?: { route: string } })[]; output?: "limit" | "reserve" | "refuse"; inputBound?: "bytes" | "estimate"; metadata?: Readonly<Record<string, string>>; tags?: readonly (string)[]; contentLogging?: boolean; ownKeys?: boolean }
  }
  deleteUser: {
    path: { id: string }; query: {  }; body: undefined
    reply: { id?: string; deleted?: true }
  }
  disableUser: {
    path: { id: string }; query: {  }; body: undefined
    reply: { object: "organization" | "team" | "user"; id: string; kind: "organization" | "team" | "user"; name: string; createdAt: number; parentId?: string; identity?: string; disabledAt?: number; expiresAt?: number; models?: readonly (string)[]; operations?: readonly ("chat" | "complete" | "embed" | "rerank" | "moderate" | "transcribe" | "translate" | "speak" | "createImage" | "editImage" | "createVideo" | "getVideo" | "downloadVideo")[]; addresses?: readonly (string)[]; requestsPerMinute?: number; tokensPerMinute?: number; concurrentRequests?: number; budgets?: readonly ({ id?: string; limitMicroUsd: number; window: "day" | "week" | "month" | "lifetime" | number; timeZone?: string; resetAt?: number; carried?: { microUsd: number; at: number }; model?: string; tag?: string; overBudget?: { route: string } })[]; output?: "limit" | "reserve" | "refuse"; inputBound?: "bytes" | "estimate"; metadata?: Readonly<Record<string, string>>; tags?: readonly (string)[]; contentLogging?: boolean; ownKeys?: boolean }
  }
  enableUser: {
    path: { id: string }; query: {  }; body: undefined
    reply: { object: "organization" | "team" | "user"; id: string; kind: "organization" | "team" | "user"; name: string; createdAt: number; parentId?: string; identity?: string; disabledAt?: number; expiresAt?: number; models?: readonly (string)[]; operations?: readonly ("chat" | "complete" | "embed" | "rerank" | "moderate" | "transcribe" | "translate" | "speak" | "createImage" | "editImage" | "createVideo" | "getVideo" | "downloadVideo")[]; addresses?: readonly (string)[]; requestsPerMinute?: number; tokensPerMinute?: number; concurrentRequests?: number; budgets?: readonly ({ id?: string; limitMicroUsd: number; window: "day" | "week" | "month" | "lifetime" | number; timeZone?: string; resetAt?: number; carried?: { microUsd: number; at: number }; model?: string; tag?: string; overBudget?: { route: string } })[]; output?: "limit" | "reserve" | "refuse"; inputBound?: "bytes" | "estimate"; metadata?: Readonly<Record<string, string>>; tags?: readonly (string)[]; contentLogging?: boolean; ownKeys?: boolean }
  }
  unlinkUser: {
    path: { id: string }; query: {  }; body: undefined
    reply: { object: "organization" | "team" | "user"; id: string; kind: "organization" | "team" | "user"; name: string; createdAt: number; parentId?: string; identity?: string; disabledAt?: number; expiresAt?: number; models?: readonly (string)[]; operations?: readonly ("chat" | "complete" | "embed" | "rerank" | "moderate" | "transcribe" | "translate" | "speak" | "createImage" | "editImage" | "createVideo" | "getVideo" | "downloadVideo")[]; addresses?: readonly (string)[]; requestsPerMinute?: number; tokensPerMinute?: number; concurrentRequests?: number; budgets?: readonly ({ id?: string; limitMicroUsd: number; window: "day" | "week" | "month" | "lifetime" | number; timeZone?: string; resetAt?: number; carried?: { microUsd: number; at: number }; model?: string; tag?: string; overBudget?: { route: string } })[]; output?: "limit" | "reserve" | "refuse"; inputBound?: "bytes" | "estimate"; metadata?: Readonly<Record<string, string>>; tags?: readonly (string)[]; contentLogging?: boolean; ownKeys?: boolean }
  }
  listKeys: {
    path: {  }; query: { limit?: number; after?: string; order?: "asc" | "desc"; search?: string; ownerId?: string }; body: undefined
    reply: { object: "list"; data: readonly ({ object: "key"; id: string; name: string; role: "caller" | "administrator"; prefix: string; createdAt: number; adminRole?: "owner" | "operator" | "viewer" | "team"; ownerId?: string; disabledAt?: number; revokedAt?: number; lastUsedAt?: number; olderSecrets?: readonly ({ prefix: string; expiresAt: number })[]; expiresAt?: number; models?: readonly (string)[]; operations?: readonly ("chat" | "complete" | "embed" | "rerank" | "moderate" | "transcribe" | "translate" | "speak" | "createImage" | "editImage" | "createVideo" | "getVideo" | "downloadVideo")[]; addresses?: readonly (string)[]; requestsPerMinute?: number; tokensPerMinute?: number; concurrentRequests?: number; budgets?: readonly ({ id?: string; limitMicroUsd: number; window: "day" | "week" | "month" | "lifetime" | number; timeZone?: string; resetAt?: number; carried?: { microUsd: number; at: number }; model?: string; tag?: string; overBudget?: { route: string } })[]; output?: "limit" | "reserve" | "refuse"; inputBound?: "bytes" | "estimate"; metadata?: Readonly<Record<string, string>>; tags?: readonly (string)[]; contentLogging?: boolean })[]; first_id: string | null; last_id: string | null; has_more: boolean }
  }
  createKey: {
    path: {  }; query: {  }; body: { name: string; ownerId?: string; role?: "caller" | "administrator"; adminRole?: "owner" | "operator" | "viewer" | "team"; unique?: boolean; expiresAt?: number; models?: readonly (string)[]; operations?: readonly ("chat" | "complete" | "embed" | "rerank" | "moderate" | "transcribe" | "translate" | "speak" | "createImage" | "editImage" | "createVideo" | "getVideo" | "downloadVideo")[]; addresses?: readonly (string)[]; requestsPerMinute?: number; tokensPerMinute?: number; concurrentRequests?: number; budgets?: readonly ({ id?: string; limitMicroUsd: number; window: "day" | "week" | "month" | "lifetime" | number; timeZone?: string; resetAt?: number; carried?: { microUsd: number; at: number }; model?: string; tag?: string; overBudget?: { route: string } })[]; output?: "limit" | "reserve" | "refuse"; inputBound?: "bytes" | "estimate"; metadata?: Readonly<Record<string, string>>; tags?: readonly (string)[]; contentLogging?: boolean }
    reply: { object: "key"; id: string; name: string; role: "caller" | "administrator"; prefix: string; createdAt: number; adminRole?: "owner" | "operator" | "viewer" | "team"; ownerId?: string; disabledAt?: number; revokedAt?: number; lastUsedAt?: number; olderSecrets?: readonly ({ prefix: string; expiresAt: number })[]; expiresAt?: number; models?: readonly (string)[]; operations?: readonly ("chat" | "complete" | "embed" | "rerank" | "moderate" | "transcribe" | "translate" | "speak" | "createImage" | "editImage" | "createVideo" | "getVideo" | "downloadVideo")[]; addresses?: readonly (string)[]; requestsPerMinute?: number; tokensPerMinute?: number; concurrentRequests?: number; budgets?: readonly ({ id?: string; limitMicroUsd: number; window: "day" | "week" | "month" | "lifetime" | number; timeZone?: string; resetAt?: number; carried?: { microUsd: number; at: number }; model?: string; tag?: string; overBudget?: { route: string } })[]; output?: "limit" | "reserve" | "refuse"; inputBound?: "bytes" | "estimate"; metadata?: Readonly<Record<string, string>>; tags?: readonly (string)[]; contentLogging?: boolean; secret: string }
  }
  getKey: {
    path: { id: string }; query: {  }; body: undefined
    reply: { object: "key"; id: string; name: string; role: "caller" | "administrator"; prefix: string; createdAt: number; adminRole?: "owner" | "operator" | "viewer" | "team"; ownerId?: string; disabledAt?: number; revokedAt?: number; lastUsedAt?: number; olderSecrets?: readonly ({ prefix: string; expiresAt: number })[]; expiresAt?: number; models?: readonly (string)[]; operations?: readonly ("chat" | "complete" | "embed" | "rerank" | "moderate" | "transcribe" | "translate" | "speak" | "createImage" | "editImage" | "createVideo" | "getVideo" | "downloadVideo")[]; addresses?: readonly (string)[]; requestsPerMinute?: number; tokensPerMinute?: number; concurrentRequests?: number; budgets?: readonly ({ id?: string; limitMicroUsd: number; window: "day" | "week" | "month" | "lifetime" | number; timeZone?: string; resetAt?: number; carried?: { microUsd: number; at: number }; model?: string; tag?: string; overBudget?: { route: string } })[]; output?: "limit" | "reserve" | "refuse"; inputBound?: "bytes" | "estimate"; metadata?: Readonly<Record<string, string>>; tags?: readonly (string)[]; contentLogging?: boolean }
  }
  changeKey: {
    path: { id: string }; query: {  }; body: { name?: string; expiresAt?: number | null; models?: readonly (string)[] | null; operations?: readonly ("chat" | "complete" | "embed" | "rerank" | "moderate" | "transcribe" | "translate" | "speak" | "createImage" | "editImage" | "createVideo" | "getVideo" | "downloadVideo")[] | null; addresses?: readonly (string)[] | null; requestsPerMinute?: number | null; tokensPerMinute?: number | null; concurrentRequests?: number | null; budgets?: readonly ({ id?: string; limitMicroUsd: number; window: "day" | "week" | "month" | "lifetime" | number; timeZone?: string; resetAt?: number; carried?: { microUsd: number; at: number }; model?: string; tag?: string; overBudget?: { route: string } })[] | null; output?: "limit" | "reserve" | "refuse" | null; inputBound?: "bytes" | "estimate" | null; metadata?: Readonly<Record<string, string>> | null; tags?: readonly (string)[] | null; contentLogging?: boolean | null; ownerId?: string | null; role?: "caller" | "administrator"; adminRole?: "owner" | "operator" | "viewer" | "team" }
    reply: { object: "key"; id: string; name: string; role: "caller" | "administrator"; prefix: string; createdAt: number; adminRole?: "owner" | "operator" | "viewer" | "team"; ownerId?: string; disabledAt?: number; revokedAt?: number; lastUsedAt?: number; olderSecrets?: readonly ({ prefix: string; expiresAt: number })[]; expiresAt?: number; models?: readonly (string)[]; operations?: readonly ("chat" | "complete" | "embed" | "rerank" | "moderate" | "transcribe" | "translate" | "speak" | "createImage" | "editImage" | "createVideo" | "getVideo" | "downloadVideo")[]; addresses?: readonly (string)[]; requestsPerMinute?: number; tokensPerMinute?: number; concurrentRequests?: number; budgets?: readonly ({ id?: string; limitMicroUsd: number; window: "day" | "week" | "month" | "lifetime" | number; timeZone?: string; resetAt?: number; carried?: { microUsd: number; at: number }; model?: string; tag?: string; overBudget?: { route: string } })[]; output?: "limit" | "reserve" | "refuse"; inputBound?: "bytes" | "estimate"; metadata?: Readonly<Record<string, string>>; tags?: readonly (string)[]; contentLogging?: boolean }
  }
  rotateKey: {
    path: { id: string }; query: {  }; body: { overlapSeconds?: number }
    reply: { object: "key"; id: string; name: string; role: "caller" | "administrator"; prefix: string; createdAt: number; adminRole?: "owner" | "operator" | "viewer" | "team"; ownerId?: string; disabledAt?: number; revokedAt?: number; lastUsedAt?: number; olderSecrets?: readonly ({ prefix: string; expiresAt: number })[]; expiresAt?: number; models?: readonly (string)[]; operations?: readonly ("chat" | "complete" | "embed" | "rerank" | "moderate" | "transcribe" | "translate" | "speak" | "createImage" | "editImage" | "createVideo" | "getVideo" | "downloadVideo")[]; addresses?: readonly (string)[]; requestsPerMinute?: number; tokensPerMinute?: number; concurrentRequests?: number; budgets?: readonly ({ id?: string; limitMicroUsd: number; window: "day" | "week" | "month" | "lifetime" | number; timeZone?: string; resetAt?: number; carried?: { microUsd: number; at: number }; model?: string; tag?: string; overBudget?: { route: string } })[]; output?: "limit" | "reserve" | "refuse"; inputBound?: "bytes" | "estimate"; metadata?: Readonly<Record<string, string>>; tags?: readonly (string)[]; contentLogging?: boolean; secret: string }
  }
  disableKey: {
    path: { id: string }; query: {  }; body: undefined
    reply: { object: "key"; id: string; name: string; role: "caller" | "administrator"; prefix: string; createdAt: number; adminRole?: "owner" | "operator" | "viewer" | "team"; ownerId?: string; disabledAt?: number; revokedAt?: number; lastUsedAt?: number; olderSecrets?: readonly ({ prefix: string; expiresAt: number })[]; expiresAt?: number; models?: readonly (string)[]; operations?: readonly ("chat" | "complete" | "embed" | "rerank" | "moderate" | "transcribe" | "translate" | "speak" | "createImage" | "editImage" | "createVideo" | "getVideo" | "downloadVideo")[]; addresses?: readonly (string)[]; requestsPerMinute?: number; tokensPerMinute?: number; concurrentRequests?: number; budgets?: readonly ({ id?: string; limitMicroUsd: number; window: "day" | "week" | "month" | "lifetime" | number; timeZone?: string; resetAt?: number; carried?: { microUsd: number; at: number }; model?: string; tag?: string; overBudget?: { route: string } })[]; output?: "limit" | "reserve" | "refuse"; inputBound?: "bytes" | "estimate"; metadata?: Readonly<Record<string, string>>; tags?: readonly (string)[]; contentLogging?: boolean }
  }
  enableKey: {
    path: { id: string }; query: {  }; body: undefined
    reply: { object: "key"; id: string; name: string; role: "caller" | "administrator"; prefix: string; createdAt: number; adminRole?: "owner" | "operator" | "viewer" | "team"; ownerId?: string; disabledAt?: number; revokedAt?: number; lastUsedAt?: number; olderSecrets?: readonly ({ prefix: string; expiresAt: number })[]; expiresAt?: number; models?: readonly (string)[]; operations?: readonly ("chat" | "complete" | "embed" | "rerank" | "moderate" | "transcribe" | "translate" | "speak" | "createImage" | "editImage" | "createVideo" | "getVideo" | "downloadVideo")[]; addresses?: readonly (string)[]; requestsPerMinute?: number; tokensPerMinute?: number; concurrentRequests?: number; budgets?: readonly ({ id?: string; limitMicroUsd: number; window: "day" | "week" | "month" | "lifetime" | number; timeZone?: string; resetAt?: number; carried?: { microUsd: number; at: number }; model?: string; tag?: string; overBudget?: { route: string } })[]; output?: "limit" | "reserve" | "refuse"; inputBound?: "bytes" | "estimate"; metadata?: Readonly<Record<string, string>>; tags?: readonly (string)[]; contentLogging?: boolean }
  }
  revokeKey: {
    path: { id: string }; query: {  }; body: undefined
    reply: { object: "key"; id: string; name: string; role: "caller" | "administrator"; prefix: string; createdAt: number; adminRole?: "owner" | "operator" | "viewer" | "team"; ownerId?: string; disabledAt?: number; revokedAt?: number; lastUsedAt?: number; olderSecrets?: readonly ({ prefix: string; expiresAt: number })[]; expiresAt?: number; models?: readonly (string)[]; operations?: readonly ("chat" | "complete" | "embed" | "rerank" | "moderate" | "transcribe" | "translate" | "speak" | "createImage" | "editImage" | "createVideo" | "getVideo" | "downloadVideo")[]; addresses?: readonly (string)[]; requestsPerMinute?: number; tokensPerMinute?: number; concurrentRequests?: number; budgets?: readonly ({ id?: string; limitMicroUsd: number; window: "day" | "week" | "month" | "lifetime" | number; timeZone?: string; resetAt?: number; carried?: { microUsd: number; at: number }; model?: string; tag?: string; overBudget?: { route: string } })[]; output?: "limit" | "reserve" | "refuse"; inputBound?: "bytes" | "estimate"; metadata?: Readonly<Record<string, string>>; tags?: readonly (string)[]; contentLogging?: boolean }
  }
  importAccounts: {
    path: {  }; query: {  }; body: { source: string; accounts: readonly ({ id: string; kind: "organization" | "team" | "user"; name: string; createdAt: number; parentId?: string; disabledAt?: number; expiresAt?: number; models?: readonly (string)[]; operations?: readonly ("chat" | "complete" | "embed" | "rerank" | "moderate" | "transcribe" | "translate" | "speak" | "createImage" | "editImage" | "createVideo" | "getVideo" | "downloadVideo")[]; addresses?: readonly (string)[]; requestsPerMinute?: number; tokensPerMinute?: number; concurrentRequests?: number; budgets?: readonly ({ id?: string; limitMicroUsd: number; window: "day" | "week" | "month" | "lifetime" | number; timeZone?: string; resetAt?: number; carried?: { microUsd: number; at: number }; model?: string; tag?: string; overBudget?: { route: string } })[]; output?: "limit" | "reserve" | "refuse"; inputBound?: "bytes" | "estimate"; metadata?: Readonly<Record<string, string>>; tags?: readonly (string)[]; contentLogging?: boolean; ownKeys?: boolean })[]; keys: readonly ({ id: string; name: string; hash: string; prefix: string; createdAt: number; hashScheme?: "whole"; ownerId?: string; disabledAt?: number; olderSecrets?: readonly ({ hash: string; prefix: string; expiresAt: number; hashScheme?: "whole" })[]; expiresAt?: number; models?: readonly (string)[]; operations?: readonly ("chat" | "complete" | "embed" | "rerank" | "moderate" | "transcribe" | "translate" | "speak" | "createImage" | "editImage" | "createVideo" | "getVideo" | "downloadVideo")[]; addresses?: readonly (string)[]; requestsPerMinute?: number; tokensPerMinute?: number; concurrentRequests?: number; budgets?: readonly ({ id?: string; limitMicroUsd: number; window: "day" | "week" | "month" | "lifetime" | number; timeZone?: string; resetAt?: number; carried?: { microUsd: number; at: number }; model?: string; tag?: string; overBudget?: { route: string } })[]; output?: "limit" | "reserve" | "refuse"; inputBound?: "bytes" | "estimate"; metadata?: Readonly<Record<string, string>>; tags?: readonly (string)[]; contentLogging?: boolean })[] }
    reply: { object: "import"; added: readonly (string)[]; present: readonly (string)[] }
  }
  resetBudgets: {
    path: {  }; query: {  }; body: { holder: string; budget?: string }
    reply: { object: "budgets.reset"; holder: string; budgets: readonly (string)[]; resetAt: number }
  }
  listAudit: {
    path: {  }; query: { limit?: number; after?: string; order?: "asc" | "desc" }; body: undefined
    reply: { object: "list"; data: readonly ({ id: string; sequence: number; at: number; actor: string; action: string; target: string; before: unknown; after: unknown; previousHash: string; hash: string })[]; first_id: string | null; last_id: string | null; has_more: boolean }
  }
  listNames: {
    path: {  }; query: { ids?: string }; body: undefined
    reply: { data: readonly ({ id: string; kind: "key" | "user" | "team" | "organization"; name: string; isFixed: boolean })[] }
  }
  listRequests: {
    path: {  }; query: { from?: string; to?: string; key?: string; user?: string; team?: string; organization?: string; provider?: string; model?: string; operation?: string; tag?: string; outcome?: "completed" | "failed" | "cancelled" | "incomplete" | "refused"; requestedModel?: string; id?: string; status?: string; format?: string; limit?: number; cursor?: string }; body: undefined
    reply: { data: readonly ({ id: string; requestId: string | null; startedAt: string; key: string; user: string | null; team: string | null; organization: string | null; tags: readonly (string)[]; clientAddress: string | null; operation: string; format: string | null; stream: boolean; model: string; provider: string; upstreamModel: string; durationMs: number; firstTokenMs: number | null; attempts: number; outcome: string; status: number | null; errorCode: string | null; reason: string | null; inputTokens: number; outputTokens: number; costMicroUsd: number | null; unknownCosts: number; estimated: boolean; unsettled: boolean; dropped: readonly (string)[] })[]; nextCursor: string | null }
  }
  watchRequests: {
    path: {  }; query: { key?: string; user?: string; team?: string; organization?: string; provider?: string; model?: string; operation?: string; tag?: string; outcome?: "completed" | "failed" | "cancelled" | "incomplete" | "refused"; requestedModel?: string; id?: string; status?: string; format?: string }; body: undefined
    reply: unknown
  }
  getRequest: {
    path: { id: string }; query: {  }; body: undefined
    reply: { id: string; requestId: string | null; startedAt: string; key: string; user: string | null; team: string | null; organization: string | null; tags: readonly (string)[]; clientAddress: string | null; operation: string; format: string | null; stream: boolean; model: string; provider: string; upstreamModel: string; durationMs: number; firstTokenMs: number | null; attempts: number; outcome: string; status: number | null; errorCode: string | null; reason: string | null; inputTokens: number; outputTokens: number; costMicroUsd: number | null; unknownCosts: number; estimated: boolean; unsettled: boolean; dropped: readonly (string)[]; skipped: readonly (string)[]; timeline: readonly ({ attempt: number; provider: string; model: string; startedAt: string; firstTokenAt: string | null; endedAt: string; durationMs: number; outcome: string; status: number | null; upstreamStatus: number | null; errorCode: string | null; reason: string | null; upstreamRequestId: string | null; reported: boolean; estimated: boolean; unsettled: boolean; usage: Readonly<Record<string, number>>; serverToolCalls: Readonly<Record<string, number>>; size: string | null; quality: string | null; serviceTier: string | null; chargedUsd: number | null; costMicroUsd: number | null; costParts: null | readonly ({ kind: string; quantity: number; microUsd: number })[]; priceSource: string | null; priceDate: string | null; dropped: readonly (string)[] })[] }
  }
  listRefusals: {
    path: {  }; query: { from?: string; to?: string; key?: string; user?: string; team?: string; organization?: string; operation?: string }; body: undefined
    reply: { from: string; to: string; data: readonly ({ key: string; user: string | null; team: string | null; organization: string | null; operation: string; code: string; status: number; count: number; lastAt: string; lastId: string; lastModel: string | null; lastMessage: string })[] }
  }
  getRequestContent: {
    path: { id: string }; query: {  }; body: undefined
    reply: { callId: string; requestId: string | null; keyId: string; userId: string | null; teamId: string | null; organizationId: string | null; createdAt: number; operation: string; format: string; request: string; answer: string; requestCut: boolean; answerCut: boolean; masked: number }
  }
  listContents: {
    path: {  }; query: { from?: string; to?: string; key?: string; user?: string; team?: string; limit?: number; cursor?: string }; body: undefined
    reply: { data: readonly ({ callId: string; requestId: string | null; keyId: string; userId: string | null; teamId: string | null; organizationId: string | null; createdAt: number; operation: string; format: string; request: string; answer: string; requestCut: boolean; answerCut: boolean; masked: number })[]; nextCursor: string | null }
  }
  eraseContents: {
    path: {  }; query: {  }; body: { user?: string; key?: string }
    reply: { contents: number; stored: number }
  }
  getUsage: {
    path: {  }; query: { by?: string; from?: string; to?: string; key?: string; user?: string; team?: string; organization?: string; provider?: string; model?: string; operation?: string; tag?: string; outcome?: string; limit?: number; cursor?: string; format?: "json" | "csv" | "jsonl" }; body: undefined
    reply: { data: readonly ({ attempts?: number; calls?: number; unknownCosts?: number; estimated?: number; unsettled?: number; costMicroUsd?: number | null; inputTokens?: number; outputTokens?: number; firstTokenP50Ms?: number | null; firstTokenP95Ms?: number | null } & Readonly<Record<string, string | number | null>>)[]; from: string; to: string; total: { attempts?: number; calls?: number; unknownCosts?: number; estimated?: number; unsettled?: number; costMicroUsd?: number | null; inputTokens?: number; outputTokens?: number; firstTokenP50Ms?: number | null; firstTokenP95Ms?: number | null } & Readonly<Record<string, string | number | null>>; pending: number; nextCursor: string | null }
  }
  listUsageRecords: {
    path: {  }; query: { from?: string; to?: string; key?: string; user?: string; team?: string; organization?: string; provider?: string; model?: string; operation?: string; tag?: string; outcome?: string; limit?: number; cursor?: string; format?: "json" | "csv" | "jsonl" }; body: undefined
    reply: { data: readonly ({ callId: string | null; requestId: string | null; attempt: number | null; startedAt: string; durationMs: number | null; keyId: string | null; userId: string | null; teamId: string | null; organizationId: string | null; tags: string | null; operation: string | null; provider: string | null; model: string | null; outcome: string | null; reported: boolean; estimated: boolean; unsettled: boolean; inputTokens: number | null; outputTokens: number | null; cachedInputTokens: number | null; cacheWriteTokens: number | null; longCacheWriteTokens: number | null; audioInputTokens: number | null; cachedAudioInputTokens: number | null; imageInputTokens: number | null; reasoningTokens: number | null; audioOutputTokens: number | null; imageOutputTokens: number | null; billedInputTokens: number | null; billedOutputTokens: number | null; seconds: number | null; images: number | null; characters: number | null; searchUnits: number | null; serverToolCalls: string | null; size: string | null; quality: string | null; serviceTier: string | null; chargedUsd: number | null; costMicroUsd: number | null; priceSource: string | null; priceDate: string | null; clientAddress: string | null; format: string | null; streamed: boolean; requestedModel: string | null; firstTokenMs: number | null; status: number | null; errorCode: string | null; reason: string | null; upstreamStatus: number | null; upstreamRequestId: string | null; dropped: string | null; reservedMicroUsd: number | null; overBudget: string | null; skipped: string | null })[]; nextCursor: string | null }
  }
  rebuildUsage: {
    path: {  }; query: {  }; body: undefined
    reply: { pending: number }
  }
  eraseUsage: {
    path: {  }; query: {  }; body: { user?: string; key?: string }
    reply: { replacement: string; records: number; contents: number; stored: number }
  }
  reconcileUsage: {
    path: {  }; query: {  }; body: { csv: string; provider?: string }
    reply: { form: string; from: string | null; to: string | null; rows: number; differences: readonly ({ day: string; model: string; of: "USD" | "input tokens" | "output tokens"; billed: number; ledger: number })[] }
  }
  listBudgets: {
    path: {  }; query: { holder?: string }; body: undefined
    reply: { object: "list"; data: readonly ({ id: string; holder: { kind: "key" | "user" | "team" | "organization"; id: string; name: string }; window: "day" | "week" | "month" | "lifetime" | number; timeZone: string | null; resetAt: number | null; model: string | null; tag: string | null; limitMicroUsd: number; remainingMicroUsd: number; resetMs: number | null })[]; has_more: boolean }
  }
  getOverview: {
    path: {  }; query: { from?: string; to?: string; key?: string; user?: string; team?: string; organization?: string; provider?: string; model?: string; operation?: string; tag?: string; outcome?: string; step?: "hour" | "day" | "month" }; body: undefined
    reply: { from: string; to: string; step: string; total: { attempts?: number; calls?: number; unknownCosts?: number; estimated?: number; unsettled?: number; costMicroUsd?: number | null; inputTokens?: number; outputTokens?: number; firstTokenP50Ms?: number | null; firstTokenP95Ms?: number | null } & Readonly<Record<string, string | number | null>>; before: { attempts?: number; calls?: number; unknownCosts?: number; estimated?: number; unsettled?: number; costMicroUsd?: number | null; inputTokens?: number; outputTokens?: number; firstTokenP50Ms?: number | null; firstTokenP95Ms?: number | null } & Readonly<Record<string, string | number | null>>; series: readonly ({ attempts?: number; calls?: number; unknownCosts?: number; estimated?: number; unsettled?: number; costMicroUsd?: number | null; inputTokens?: number; outputTokens?: number; firstTokenP50Ms?: number | null; firstTokenP95Ms?: number | null } & Readonly<Record<string, string | number | null>>)[]; models: readonly ({ attempts?: number; calls?: number; unknownCosts?: number; estimated?: number; unsettled?: number; costMicroUsd?: number | null; inputTokens?: number; outputTokens?: number; firstTokenP50Ms?: number | null; firstTokenP95Ms?: number | null } & Readonly<Record<string, string | number | null>>)[]; providers: readonly ({ attempts?: number; calls?: number; unknownCosts?: number; estimated?: number; unsettled?: number; costMicroUsd?: number | null; inputTokens?: number; outputTokens?: number; firstTokenP50Ms?: number | null; firstTokenP95Ms?: number | null } & Readonly<Record<string, string | number | null>>)[]; teams: readonly ({ attempts?: number; calls?: number; unknownCosts?: number; estimated?: number; unsettled?: number; costMicroUsd?: number | null; inputTokens?: number; outputTokens?: number; firstTokenP50Ms?: number | null; firstTokenP95Ms?: number | null } & Readonly<Record<string, string | number | null>>)[]; pending: number }
  }
  listProblems: {
    path: {  }; query: {  }; body: undefined
    reply: { at: string; parts: readonly ({ name: "database" | "journal" | "redis"; isFine: boolean; detail: string | null })[]; problems: readonly ({ severity: "error" | "warning"; kind: "database" | "journal" | "redis" | "provider_locked" | "provider_off" | "route_broken" | "breaker_open" | "key_refused" | "key_limited" | "budget_spent" | "budget_near" | "price_unknown"; subject: string; message: string; until: string | null })[] }
  }
  getSession: {
    path: {  }; query: {  }; body: undefined
    reply: { version: string; session: { key: { id: string; name: string; prefix: string }; role: "caller" | "administrator"; adminRole: "owner" | "operator" | "viewer" | "team" | null; levels: readonly ({ kind: "key" | "user" | "team" | "organization"; id: string; name: string })[]; ownKeys: boolean; expiresAt: number } | null; oidc: { name: string } | null }
  }
  signIn: {
    path: {  }; query: {  }; body: { key: string }
    reply: { version: string; session: { key: { id: string; name: string; prefix: string }; role: "caller" | "administrator"; adminRole: "owner" | "operator" | "viewer" | "team" | null; levels: readonly ({ kind: "key" | "user" | "team" | "organization"; id: string; name: string })[]; ownKeys: boolean; expiresAt: number } | null; oidc: { name: string } | null }
  }
  signOut: {
    path: {  }; query: {  }; body: undefined
    reply: { version: string; session: { key: { id: string; name: string; prefix: string }; role: "caller" | "administrator"; adminRole: "owner" | "operator" | "viewer" | "team" | null; levels: readonly ({ kind: "key" | "user" | "team" | "organization"; id: string; name: string })[]; ownKeys: boolean; expiresAt: number } | null; oidc: { name: string } | null; endSessionUrl: string | null }
  }
  listProviders: {
    path: {  }; query: {  }; body: undefined
    reply: { data: readonly ({ id: string; name: string; on: boolean; why: string | null; configuredBy: "sluice.yaml" | "environment" | "database" | null; protocol: string | null; baseUrl: string | null; local: boolean; environment: readonly (string)[]; documentation: string | null; keys: number; restingKeys: readonly ({ reason: "refused" | "limited"; position: number; model: string | null; key: string | null; until: string })[]; models: number | null; targets: readonly ({ target: string; breaker: "open" | "half-open" | "closed"; refusedKeys: readonly (string)[]; latencyMs: number | null; firstContentP50Ms: number | null; firstContentP95Ms: number | null; observations: number })[] })[] }
  }
  testProvider: {
    path: { id: string }; query: {  }; body: { model?: string }
    reply: { ok: boolean; request: string; model: string; durationMs: number; status: number; errorCode: string | null; message: string | null; costMicroUsd: number | null }
  }
  listRoutedModels: {
    path: {  }; query: { search?: string; provider?: string; operation?: "chat" | "complete" | "embed" | "rerank" | "moderate" | "transcribe" | "translate" | "speak" | "createImage" | "editImage" | "createVideo" | "getVideo" | "downloadVideo"; limit?: number; after?: string }; body: undefined
    reply: { data: readonly ({ id: string; ownedBy: string; displayName: string; description: string; operations: readonly (string)[]; inputTokenLimit: number | null; outputTokenLimit: number | null; isRoute: boolean; strategy: string | null; targets: readonly ({ target: string; provider: string; model: string; level: number; priority: number; weight: number; because: string; available: boolean; latencyMs: number | null; price: null | { rates: Readonly<Record<string, { usd: number; per: number }>>; source: string; date: string } })[]; problem: string | null })[]; total: number; hasMore: boolean }
  }
  getRoutes: {
    path: {  }; query: {  }; body: undefined
    reply: { models: Readonly<Record<string, unknown>>; declared: readonly (string)[]; etag: string; file: string; problems: readonly ({ model: string; problem: string })[]; unpriced: readonly ({ model: string; problem: string })[] }
  }
  applyRoutes: {
    path: {  }; query: {  }; body: { models: Readonly<Record<string, unknown>>; etag: string }
    reply: { etag: string; changes: readonly ({ model: string; change: "added" | "changed" | "removed"; before: unknown; after: unknown })[] }
  }
  planRoutes: {
    path: {  }; query: {  }; body: { models: Readonly<Record<string, unknown>>; sample?: { path?: string; request: Readonly<Record<string, unknown>> } }
    reply: { etag: string; changes: readonly ({ model: string; change: "added" | "changed" | "removed"; before: unknown; after: unknown })[]; yaml: string; problems: readonly ({ model: string; problem: string })[]; unpriced: readonly ({ model: string; problem: string })[]; unlisted: readonly ({ model: string; problem: string })[]; before: Readonly<Record<string, unknown>> | null; after: Readonly<Record<string, unknown>> | null }
  }
  getProviderSettings: {
    path: {  }; query: {  }; body: undefined
    reply: { providers: Readonly<Record<string, unknown>>; declared: readonly (string)[]; etag: string; file: string; isSealing: boolean }
  }
  applyProviderSettings: {
    path: {  }; query: {  }; body: { providers: Readonly<Record<string, Readonly<Record<string, unknown>> | null>>; etag: string }
    reply: { etag: string; changes: readonly ({ provider: string; change: "added" | "changed" | "removed"; before: unknown; after: unknown })[] }
  }
  planProviderSettings: {
    path: {  }; query: {  }; body: { providers: Readonly<Record<string, Readonly<Record<string, unknown>> | null>> }
    reply: { etag: string; changes: readonly ({ provider: string; change: "added" | "changed" | "removed"; before: unknown; after: unknown })[]; yaml: string; problems: readonly ({ provider: string; problem: string })[] }
  }
  resealProviderSettings: {
    path: {  }; query: {  }; body: undefined
    reply: { encrypted: number }
  }
  getSettings: {
    path: {  }; query: {  }; body: undefined
    reply: { file: string; data: readonly ({ path: string; value: unknown; source: string; isHidden: boolean })[] }
  }
  getAbout: {
    path: {  }; query: {  }; body: undefined
    reply: { version: string; node: string; platform: string; startedAt: string; database: string; licence: string; packages: readonly ({ name: string; version: string; licence: string })[]; benchmark: null | { at: string; machine: Readonly<Record<string, unknown>>; rows: readonly ({ scenario: string; target: string; requestsPerSecond: number; firstP50Ms: number | null; firstP99Ms: number | null })[] } }
  }
}

/** Method and path, without the leading slash: the gateway may be below another path. */
export const places = {
  listModels: ['GET', 'v1/models'],
  getOwnUsage: ['GET', 'v1/usage'],
  listOwnKeys: ['GET', 'v1/usage/keys'],
  createOwnKey: ['POST', 'v1/usage/keys'],
  rotateOwnKey: ['POST', 'v1/usage/keys/{id}/rotate'],
  revokeOwnKey: ['POST', 'v1/usage/keys/{id}/revoke'],
  explain: ['POST', 'admin/v1/explain'],
  listOrganizations: ['GET', 'admin/v1/organizations'],
  createOrganization: ['POST', 'admin/v1/organizations'],
  getOrganization: ['GET', 'admin/v1/organizations/{id}'],
  changeOrganization: ['PATCH', 'admin/v1/organizations/{id}'],
  deleteOrganization: ['DELETE', 'admin/v1/organizations/{id}'],
  disableOrganization: ['POST', 'admin/v1/organizations/{id}/disable'],
  enableOrganization: ['POST', 'admin/v1/organizations/{id}/enable'],
  listTeams: ['GET', 'admin/v1/teams'],
  createTeam: ['POST', 'admin/v1/teams'],
  getTeam: ['GET', 'admin/v1/teams/{id}'],
  changeTeam: ['PATCH', 'admin/v1/teams/{id}'],
  deleteTeam: ['DELETE', 'admin/v1/teams/{id}'],
  disableTeam: ['POST', 'admin/v1/teams/{id}/disable'],
  enableTeam: ['POST', 'admin/v1/teams/{id}/enable'],
  listUsers: ['GET', 'admin/v1/users'],
  createUser: ['POST', 'admin/v1/users'],
  getUser: ['GET', 'admin/v1/users/{id}'],
  changeUser: ['PATCH', 'admin/v1/users/{id}'],
  deleteUser: ['DELETE', 'admin/v1/users/{id}'],
  disableUser: ['POST', 'admin/v1/users/{id}/disable'],
  enableUser: ['POST', 'admin/v1/users/{id}/enable'],
  unlinkUser: ['POST', 'admin/v1/users/{id}/unlink'],
  listKeys: ['GET', 'admin/v1/keys'],
  createKey: ['POST', 'admin/v1/keys'],
  getKey: ['GET', 'admin/v1/keys/{id}'],
  changeKey: ['PATCH', 'admin/v1/keys/{id}'],
  rotateKey: ['POST', 'admin/v1/keys/{id}/rotate'],
  disableKey: ['POST', 'admin/v1/keys/{id}/disable'],
  enableKey: ['POST', 'admin/v1/keys/{id}/enable'],
  revokeKey: ['POST', 'admin/v1/keys/{id}/revoke'],
  importAccounts: ['POST', 'admin/v1/import'],
  resetBudgets: ['POST', 'admin/v1/budgets/reset'],
  listAudit: ['GET', 'admin/v1/audit'],
  listNames: ['GET', 'admin/v1/names'],
  listRequests: ['GET', 'admin/v1/requests'],
  watchRequests: ['GET', 'admin/v1/requests/live'],
  getRequest: ['GET', 'admin/v1/requests/{id}'],
  listRefusals: ['GET', 'admin/v1/refusals'],
  getRequestContent: ['GET', 'admin/v1/requests/{id}/content'],
  listContents: ['GET', 'admin/v1/contents'],
  eraseContents: ['POST', 'admin/v1/contents/erase'],
  getUsage: ['GET', 'admin/v1/usage'],
  listUsageRecords: ['GET', 'admin/v1/usage/records'],
  rebuildUsage: ['POST', 'admin/v1/usage/rebuild'],
  eraseUsage: ['POST', 'admin/v1/usage/erase'],
  reconcileUsage: ['POST', 'admin/v1/usage/reconcile'],
  listBudgets: ['GET', 'admin/v1/budgets'],
  getOverview: ['GET', 'admin/v1/overview'],
  listProblems: ['GET', 'admin/v1/problems'],
  getSession: ['GET', 'admin/v1/session'],
  signIn: ['POST', 'admin/v1/session'],
  signOut: ['DELETE', 'admin/v1/session'],
  listProviders: ['GET', 'admin/v1/providers'],
  testProvider: ['POST', 'admin/v1/providers/{id}/test'],
  listRoutedModels: ['GET', 'admin/v1/models'],
  getRoutes: ['GET', 'admin/v1/routes'],
  applyRoutes: ['PUT', 'admin/v1/routes'],
  planRoutes: ['POST', 'admin/v1/routes/plan'],
  getProviderSettings: ['GET', 'admin/v1/provider-settings'],
  applyProviderSettings: ['PUT', 'admin/v1/provider-settings'],
  planProviderSettings: ['POST', 'admin/v1/provider-settings/plan'],
  resealProviderSettings: ['POST', 'admin/v1/provider-settings/reseal'],
  getSettings: ['GET', 'admin/v1/settings'],
  getAbout: ['GET', 'admin/v1/about'],
} as const satisfies Record<keyof Operations, readonly [string, string]>
