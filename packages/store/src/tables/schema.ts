import type { VideoJob } from '@sluice/contract'
import type { Generated } from 'kysely'
import type { Account, Terms } from '@sluice/gateway/ports/account.ts'
import type { AlertDelivery, AlertMessage } from '@sluice/gateway/ports/alert.ts'
import type { ApiKey } from '@sluice/gateway/ports/api-key.ts'
import type { AuditEntry } from '@sluice/gateway/ports/audit.ts'
import type { StoredContent } from '@sluice/gateway/ports/content.ts'
import type { NewStoredFile } from '@sluice/gateway/ports/file-store.ts'
import type { KeptRefusal, Refusals } from '@sluice/gateway/ports/refusals.ts'
import type { Session } from '@sluice/gateway/ports/session.ts'
import type { StoredSetting } from '@sluice/gateway/ports/stored-settings.ts'
import type { StoredResponse, UpstreamId } from '@sluice/gateway/ports/store.ts'
import type { Columns } from './columns.ts'

/** The plain tables, for the types of statements. Numbers are integers; `migrations/` has the constraints and indexes. */
export interface Tables {
  accounts: Account
  alertDeliveries: Omit<AlertDelivery, 'id'> & { readonly messageId: string }
  alerts: Pick<AlertMessage, 'name' | 'quietUntil'> & { readonly messageId: string }
  apiKeys: ApiKey
  auditLog: AuditEntry
  callContents: StoredContent
  keptFiles: FilePart
  keptRefusals: KeptRefusal
  refusals: Refusals
  responses: StoredResponse
  sessions: Session
  storedSettings: StoredSetting
  upstreamIds: UpstreamId
  versions: { readonly name: string; readonly version: number }
  videoJobs: VideoJob & {
    /** The order of creation. */
    readonly sequence: Generated<number>
    /** The process that works on it, and until when, in milliseconds since the epoch. */
    readonly claimedBy?: string
    readonly claimedUntil?: number
  }
  videoPlaces: {
    readonly id: string
    readonly keyId: string
    readonly bytes: number
    readonly until: number
  }
}

/** A part of a file. */
interface FilePart
  extends Pick<NewStoredFile, 'id' | 'kind' | 'contentType' | 'createdAt' | 'expiresAt'> {
  /** Its number, from 0, and how many parts the file has. */
  readonly part: number
  readonly parts: number
  /** Its size. */
  readonly bytes: number
  /** Base64, which both databases store as text. */
  readonly content: string
}

/** What keys and accounts share. */
const terms: Columns<Terms> = {
  expiresAt: 'integer',
  models: 'json',
  operations: 'json',
  addresses: 'json',
  requestsPerMinute: 'integer',
  tokensPerMinute: 'integer',
  concurrentRequests: 'integer',
  budgets: 'json',
  output: 'text',
  inputBound: 'text',
  metadata: 'json',
  tags: 'json',
  contentLogging: 'boolean',
  ownKeys: 'boolean',
}

export const accountColumns: Columns<Account> = {
  id: 'text',
  kind: 'text',
  name: 'text',
  parentId: 'text',
  identity: 'text',
  createdAt: 'integer',
  disabledAt: 'integer',
  ...terms,
}

export const keyColumns: Columns<ApiKey> = {
  id: 'text',
  name: 'text',
  hash: 'text',
  hashScheme: 'text',
  role: 'text',
  prefix: 'text',
  adminRole: 'text',
  ownerId: 'text',
  createdAt: 'integer',
  disabledAt: 'integer',
  revokedAt: 'integer',
  olderSecrets: 'json',
  ...terms,
}

export const auditColumns: Columns<AuditEntry> = {
  sequence: 'integer',
  at: 'integer',
  actor: 'text',
  action: 'text',
  target: 'text',
  before: 'text',
  after: 'text',
  previousHash: 'text',
  hash: 'text',
}

export const contentColumns: Columns<StoredContent> = {
  callId: 'text',
  requestId: 'text',
  keyId: 'text',
  userId: 'text',
  teamId: 'text',
  organizationId: 'text',
  createdAt: 'integer',
  operation: 'text',
  format: 'text',
  request: 'text',
  answer: 'text',
  requestCut: 'boolean',
  answerCut: 'boolean',
  masked: 'integer',
}

export const deliveryColumns: Columns<AlertDelivery> = {
  id: 'text',
  webhook: 'text',
  body: 'text',
  tries: 'integer',
  nextAt: 'integer',
}

export const refusalColumns: Columns<Refusals> = {
  hour: 'integer',
  keyId: 'text',
  userId: 'text',
  teamId: 'text',
  organizationId: 'text',
  operation: 'text',
  code: 'text',
  status: 'integer',
  count: 'integer',
  lastAt: 'integer',
  message: 'text',
  callId: 'text',
  model: 'text',
}

export const keptRefusalColumns: Columns<KeptRefusal> = {
  callId: 'text',
  requestId: 'text',
  at: 'integer',
  durationMs: 'integer',
  keyId: 'text',
  userId: 'text',
  teamId: 'text',
  organizationId: 'text',
  operation: 'text',
  format: 'text',
  model: 'text',
  status: 'integer',
  code: 'text',
  message: 'text',
}

export const responseColumns: Columns<StoredResponse> = {
  id: 'text',
  keyId: 'text',
  createdAt: 'integer',
  previousResponseId: 'text',
  provider: 'text',
  account: 'text',
  response: 'text',
  input: 'text',
}

export const settingColumns: Columns<StoredSetting> = {
  section: 'text',
  name: 'text',
  document: 'text',
  version: 'integer',
  changedAt: 'integer',
}

export const sessionColumns: Columns<Session> = {
  hash: 'text',
  keyHash: 'text',
  principal: 'json',
  createdAt: 'integer',
  expiresAt: 'integer',
}

export const upstreamIdColumns: Columns<UpstreamId> = {
  id: 'text',
  keyId: 'text',
  responseId: 'text',
  deleted: 'boolean',
  account: 'text',
}

export const videoColumns: Columns<VideoJob> = {
  id: 'text',
  keyId: 'text',
  provider: 'text',
  model: 'text',
  upstreamId: 'text',
  status: 'text',
  progress: 'integer',
  prompt: 'text',
  seconds: 'text',
  size: 'text',
  request: 'text',
  error: 'json',
  contentFile: 'text',
  createdAt: 'integer',
  completedAt: 'integer',
  expiresAt: 'integer',
  remixedFromVideoId: 'text',
  bytes: 'integer',
}
