-- The tables of LiteLLM's database that are imported, as Prisma makes them of its schema.
CREATE TABLE "LiteLLM_BudgetTable" (
  budget_id TEXT PRIMARY KEY, max_budget DOUBLE PRECISION, soft_budget DOUBLE PRECISION, max_parallel_requests INTEGER,
  tpm_limit BIGINT, rpm_limit BIGINT, model_max_budget JSONB, budget_duration TEXT, budget_reset_at TIMESTAMP(3),
  allowed_models TEXT[] DEFAULT ARRAY[]::TEXT[],
  created_at TIMESTAMP(3) NOT NULL DEFAULT CURRENT_TIMESTAMP, created_by TEXT NOT NULL,
  updated_at TIMESTAMP(3) NOT NULL DEFAULT CURRENT_TIMESTAMP, updated_by TEXT NOT NULL
);
CREATE TABLE "LiteLLM_OrganizationTable" (
  organization_id TEXT PRIMARY KEY, organization_alias TEXT NOT NULL, budget_id TEXT NOT NULL REFERENCES "LiteLLM_BudgetTable",
  metadata JSONB NOT NULL DEFAULT '{}', models TEXT[], spend DOUBLE PRECISION NOT NULL DEFAULT 0.0,
  model_spend JSONB NOT NULL DEFAULT '{}', object_permission_id TEXT,
  created_at TIMESTAMP(3) NOT NULL DEFAULT CURRENT_TIMESTAMP, created_by TEXT NOT NULL,
  updated_at TIMESTAMP(3) NOT NULL DEFAULT CURRENT_TIMESTAMP, updated_by TEXT NOT NULL
);
CREATE TABLE "LiteLLM_TeamTable" (
  team_id TEXT PRIMARY KEY, team_alias TEXT, organization_id TEXT, object_permission_id TEXT, admins TEXT[], members TEXT[],
  members_with_roles JSONB NOT NULL DEFAULT '{}', metadata JSONB NOT NULL DEFAULT '{}', max_budget DOUBLE PRECISION,
  spend DOUBLE PRECISION NOT NULL DEFAULT 0.0, models TEXT[], max_parallel_requests INTEGER, tpm_limit BIGINT, rpm_limit BIGINT,
  budget_duration TEXT, budget_reset_at TIMESTAMP(3), blocked BOOLEAN NOT NULL DEFAULT false,
  created_at TIMESTAMP(3) NOT NULL DEFAULT CURRENT_TIMESTAMP, updated_at TIMESTAMP(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  model_spend JSONB NOT NULL DEFAULT '{}', model_max_budget JSONB NOT NULL DEFAULT '{}',
  team_member_permissions TEXT[] DEFAULT ARRAY[]::TEXT[], model_id INTEGER
);
CREATE TABLE "LiteLLM_UserTable" (
  user_id TEXT PRIMARY KEY, user_alias TEXT, team_id TEXT, sso_user_id TEXT, organization_id TEXT, object_permission_id TEXT,
  password TEXT, teams TEXT[] DEFAULT ARRAY[]::TEXT[], user_role TEXT, max_budget DOUBLE PRECISION,
  spend DOUBLE PRECISION NOT NULL DEFAULT 0.0, user_email TEXT, models TEXT[], metadata JSONB NOT NULL DEFAULT '{}',
  max_parallel_requests INTEGER, tpm_limit BIGINT, rpm_limit BIGINT, budget_duration TEXT, budget_reset_at TIMESTAMP(3),
  allowed_cache_controls TEXT[] DEFAULT ARRAY[]::TEXT[], model_spend JSONB NOT NULL DEFAULT '{}',
  model_max_budget JSONB NOT NULL DEFAULT '{}', created_at TIMESTAMP(3) DEFAULT CURRENT_TIMESTAMP,
  updated_at TIMESTAMP(3) DEFAULT CURRENT_TIMESTAMP
);
CREATE TABLE "LiteLLM_VerificationToken" (
  token TEXT PRIMARY KEY, key_name TEXT, key_alias TEXT, soft_budget_cooldown BOOLEAN NOT NULL DEFAULT false,
  spend DOUBLE PRECISION NOT NULL DEFAULT 0.0, expires TIMESTAMP(3), models TEXT[], aliases JSONB NOT NULL DEFAULT '{}',
  config JSONB NOT NULL DEFAULT '{}', user_id TEXT, team_id TEXT, permissions JSONB NOT NULL DEFAULT '{}',
  max_parallel_requests INTEGER, metadata JSONB NOT NULL DEFAULT '{}', blocked BOOLEAN, tpm_limit BIGINT, rpm_limit BIGINT,
  max_budget DOUBLE PRECISION, budget_duration TEXT, budget_reset_at TIMESTAMP(3),
  allowed_cache_controls TEXT[] DEFAULT ARRAY[]::TEXT[], allowed_routes TEXT[] DEFAULT ARRAY[]::TEXT[],
  model_spend JSONB NOT NULL DEFAULT '{}', model_max_budget JSONB NOT NULL DEFAULT '{}', budget_id TEXT, organization_id TEXT,
  project_id TEXT, object_permission_id TEXT, created_at TIMESTAMP(3) DEFAULT CURRENT_TIMESTAMP, created_by TEXT,
  updated_at TIMESTAMP(3) DEFAULT CURRENT_TIMESTAMP, updated_by TEXT
);
CREATE TABLE "LiteLLM_DeprecatedVerificationToken" (
  id TEXT PRIMARY KEY, token TEXT NOT NULL, active_token_id TEXT NOT NULL, revoke_at TIMESTAMP(3) NOT NULL,
  created_at TIMESTAMP(3) NOT NULL DEFAULT CURRENT_TIMESTAMP
);
CREATE TABLE "LiteLLM_TeamMembership" (
  user_id TEXT, team_id TEXT, spend DOUBLE PRECISION NOT NULL DEFAULT 0.0, budget_id TEXT, PRIMARY KEY (user_id, team_id)
);
CREATE TABLE "LiteLLM_ProxyModelTable" (
  model_id TEXT PRIMARY KEY, model_name TEXT NOT NULL, litellm_params JSONB NOT NULL, model_info JSONB
);
