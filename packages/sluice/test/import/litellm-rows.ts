// What a LiteLLM proxy has in its database: accounts with budgets, keys of every state, and what is not imported.
import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export const tables = readFileSync(join(import.meta.dirname, 'litellm-tables.sql'), 'utf8')
/** As LiteLLM hashes a key (`hash_token`): SHA-256 of the whole of it. */
const hashToken = (secret: string) => hash('sha256', secret)
export const secretOf = (name: string) => `sk-${hash('sha256', name, 'base64url').slice(0, 22)}`
export const masterKey = 'sk-the-master-key-of-litellm'
const value = (one: unknown) =>
  one === null
    ? 'NULL'
    : typeof one === 'number' || typeof one === 'boolean'
      ? String(one)
      : `'${String(one)}'`

function insert(table: string, row: Readonly<Record<string, unknown>>): string {
  const columns = Object.keys(row).join(', ')
  return `INSERT INTO "${table}" (${columns}) VALUES (${Object.values(row).map(value).join(', ')});`
}

const by = { created_by: 'admin', updated_by: 'admin' }
const soon = '2199-01-01 00:00:00'
const past = '2020-01-01 00:00:00'

/** A key whose secret is `secretOf` its name, unless a token is given. */
export const key = (name: string, row: Readonly<Record<string, unknown>> = {}) =>
  insert('LiteLLM_VerificationToken', {
    token: hashToken(secretOf(name)),
    key_name: `sk-...${secretOf(name).slice(-4)}`,
    key_alias: name,
    ...row,
  })

export const rows = [
  insert('LiteLLM_BudgetTable', {
    budget_id: 'b-org',
    max_budget: 100,
    budget_duration: '30d',
    budget_reset_at: soon,
    ...by,
  }),
  insert('LiteLLM_BudgetTable', { budget_id: 'b-key', max_budget: 2, rpm_limit: 1000, ...by }),
  insert('LiteLLM_BudgetTable', {
    budget_id: 'b-member',
    max_budget: 3,
    allowed_models: '{slow}',
    ...by,
  }),
  insert('LiteLLM_OrganizationTable', {
    organization_id: 'o1',
    organization_alias: 'acme',
    budget_id: 'b-org',
    spend: 30,
    ...by,
  }),
  insert('LiteLLM_TeamTable', {
    team_id: 't1',
    team_alias: 'research',
    organization_id: 'o1',
    models: '{fast,slow}',
    max_budget: 50,
    budget_duration: '7d',
    budget_reset_at: soon,
    spend: 12.5,
    tpm_limit: 900000,
    metadata: '{"cost_center": "7", "nested": {"a": 1}}',
  }),
  insert('LiteLLM_TeamTable', { team_id: 't2', team_alias: 'closed', blocked: true }),
  insert('LiteLLM_UserTable', {
    user_id: 'u1',
    user_email: 'ada@acme.example',
    user_role: 'internal_user',
    max_budget: 5,
    spend: 1,
    teams: '{t1}',
  }),
  key('app', {
    team_id: 't1',
    user_id: 'u1',
    models: '{fast}',
    max_budget: 10,
    budget_duration: '1mo',
    budget_reset_at: soon,
    spend: 4,
    rpm_limit: 60,
    metadata: '{"tags": ["prod"]}',
  }),
  key('personal', { user_id: 'u1', budget_id: 'b-key', spend: 0.5 }),
  key('blocked', { blocked: true }),
  key('expired', { expires: past }),
  key('later', { expires: soon }),
  key('spent', { max_budget: 1, budget_duration: '30d', budget_reset_at: soon, spend: 1 }),
  key('renewed', { max_budget: 1, budget_duration: '30d', budget_reset_at: past, spend: 1 }),
  key('of-closed', { team_id: 't2' }),
  key('of-organization', { organization_id: 'o1' }),
  key('embeddings', { allowed_routes: '{/v1/embeddings}' }),
  key('odd-routes', { allowed_routes: '{/v1/unheard-of}' }),
  key('rotated'),
  insert('LiteLLM_DeprecatedVerificationToken', {
    id: 'd1',
    token: hashToken(secretOf('before-rotation')),
    active_token_id: hashToken(secretOf('rotated')),
    revoke_at: soon,
  }),
  insert('LiteLLM_TeamMembership', {
    user_id: 'u2',
    team_id: 't1',
    spend: 2.25,
    budget_id: 'b-member',
  }),
  insert('LiteLLM_TeamMembership', { user_id: 'u1', team_id: 't1' }),
  key('of-member', { team_id: 't1', user_id: 'u2' }),
  key('weak', { token: hashToken('sk-1234') }),
  key('number', { token: hashToken('sk-98765') }),
  key('master', { token: hashToken(masterKey) }),
  key('dashboard', { team_id: 'litellm-dashboard' }),
  insert('LiteLLM_ProxyModelTable', {
    model_id: 'm1',
    model_name: 'in-the-database',
    litellm_params: '{"model": "x"}',
  }),
].join('\n')

export const config = `general_settings:\n  master_key: ${masterKey}\n`
