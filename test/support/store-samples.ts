import type { VideoJob } from '../../packages/contract/src/core/ports.ts'
import type { UsageRecord } from '../../packages/contract/src/core/usage.ts'
import type { Account } from '../../packages/gateway/src/ports/account.ts'
import type { ApiKey } from '../../packages/gateway/src/ports/api-key.ts'
import type { AuditEntry } from '../../packages/gateway/src/ports/audit.ts'
import type { StoredResponse } from '../../packages/gateway/src/ports/store.ts'

export function sampleKey(change: Partial<ApiKey> = {}): ApiKey {
  const id = change.id ?? 'key_1'
  return {
    id,
    name: 'sample',
    hash: `hash of ${id}`,
    role: 'caller',
    prefix: 'sk-abcde',
    createdAt: 1_700_000_000_000,
    ...change,
  }
}

export function sampleJob(change: Partial<VideoJob> = {}): VideoJob {
  return {
    id: 'video_1',
    keyId: 'key_1',
    provider: 'acme',
    model: 'acme-video',
    status: 'queued',
    progress: 0,
    prompt: 'a cat',
    seconds: '4',
    size: '640x360',
    request: '{"prompt":"a cat"}',
    createdAt: 1_700_000_000,
    ...change,
  }
}

export function sampleResponse(change: Partial<StoredResponse> = {}): StoredResponse {
  return {
    id: 'resp_1',
    keyId: 'key_1',
    createdAt: 1_700_000_000,
    response: '{"id":"resp_1"}',
    input: '[]',
    ...change,
  }
}

export function sampleUsage(change: Partial<UsageRecord> = {}): UsageRecord {
  return {
    callId: 'call_1',
    attempt: 1,
    keyId: 'key_1',
    operation: 'chat',
    provider: 'acme',
    model: 'acme-chat',
    outcome: 'completed',
    reported: true,
    startedAt: 1_700_000_000_000,
    durationMs: 12.5,
    inputTokens: 10,
    outputTokens: 20,
    ...change,
  }
}

export function sampleAccount(change: Partial<Account> = {}): Account {
  return { id: 'team_1', kind: 'team', name: 'sample', createdAt: 1_700_000_000_000, ...change }
}

export function sampleAudit(change: Partial<AuditEntry> = {}): AuditEntry {
  return {
    sequence: 1,
    at: 1_700_000_000_000,
    actor: 'key_1',
    action: 'team.create',
    target: 'team_1',
    after: '{"name":"sample"}',
    previousHash: '',
    hash: 'hash',
    ...change,
  }
}
