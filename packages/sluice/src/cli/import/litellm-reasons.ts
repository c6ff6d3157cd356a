// Why settings of LiteLLM are not taken, and what there is instead.

const byCaller = 'a request says this; a route has no default for it'
const cloudIdentity =
  'the identity is that of AWS tools: set AWS_PROFILE or the role for the process, with key: default-chain'
const noCache = 'Sluice does not keep responses to answer with them again'
const noHooks = 'Sluice runs no code of yours in a call'
const observed = 'set telemetry (OTLP) or alerts in sluice.yaml'
const logs = 'set log.level in sluice.yaml'
const part = 'it turns a part of LiteLLM on or off'
const byAccounts = 'set it on the organization, team, user or key'

/** Of `litellm_params`. */
export const leftParams: Readonly<Record<string, string>> = {
  additional_drop_params:
    'fields that a target refuses are dropped by unsupported: report; no list of others is kept',
  allowed_openai_params: 'fields are sent where the target takes them',
  auto_router_config_path: 'Sluice does not choose a model by the text of a request',
  auto_router_default_model: 'Sluice does not choose a model by the text of a request',
  auto_router_embedding_model: 'Sluice does not choose a model by the text of a request',
  aws_external_id: cloudIdentity,
  aws_role_name: cloudIdentity,
  aws_session_name: cloudIdentity,
  aws_sts_endpoint: cloudIdentity,
  aws_web_identity_token: cloudIdentity,
  azure_ad_token: 'only API keys are used for Azure',
  budget_duration: 'budgets belong to keys and accounts, not to deployments',
  cache_control_injection_points: 'a request says what is cached',
  cooldown_time: 'set breaker on the route',
  client_id: 'only API keys are used for Azure',
  client_secret: 'only API keys are used for Azure',
  configurable_clientside_auth_params: 'callers cannot bring keys of their own',
  drop_params: 'unsupported holds for a route or a provider: set it there',
  fallbacks: 'fallbacks stand in router_settings or litellm_settings',
  guardrails: noHooks,
  max_budget: 'budgets belong to keys and accounts, not to deployments',
  merge_reasoning_content_in_choices: 'thinking stays in its own field',
  mock_response: 'it is for tests',
  mock_timeout: 'it is for tests',
  model_info: 'it stands beside litellm_params',
  modify_params: 'requests are always adapted to the target',
  n: byCaller,
  region_name: 'regions are those of Bedrock and Vertex AI',
  response_format: byCaller,
  stream: byCaller,
  stream_options: byCaller,
  system: byCaller,
  tags: 'routes are not chosen by tags; budgets and usage can be counted by them',
  tenant_id: 'only API keys are used for Azure',
  tool_choice: byCaller,
  tools: byCaller,
  use_in_pass_through: 'there are no pass-through endpoints beside the client formats',
  use_litellm_proxy: 'name the proxy as a provider with type: openai',
  vector_store_ids: 'Sluice does not search in stores of its own',
}

/** Of `model_info`. */
export const leftInfo: Readonly<Record<string, string>> = {
  created_at: 'it is a date of LiteLLM',
  db_model: 'it says where LiteLLM keeps the entry',
  description: 'routes have no description; write it as a comment',
  health_check_model: 'sluice check --live and providers test ask every provider',
  health_check_timeout: 'sluice check --live has --timeout',
  id: 'targets are told apart by provider and model',
  input_cost_per_second:
    'a price by the second of the call is not known; audioSeconds is by the second of sound',
  litellm_provider: 'the provider says it',
  metadata: 'routes have no free data; write it as a comment',
  output_cost_per_second: 'a price by the second of the call is not known',
  output_vector_size: 'a request says the dimensions',
  team_id: 'give the name to the models of the team',
  team_public_model_name: 'give the name to the models of the team',
  tier: 'routes are not chosen by tiers of keys',
  updated_at: 'it is a date of LiteLLM',
  version: 'the version is a part of the model’s name',
}

/** Of sections, by `section.name`; names that end in `*` are the beginnings of names. */
const leftSettings: Readonly<Record<string, string>> = {
  'general_settings.alerting': observed,
  'general_settings.alerting_*': observed,
  'general_settings.alert_*': observed,
  'general_settings.allow_client_side_credentials': 'callers cannot bring keys of their own',
  'general_settings.allow_requests_on_db_unavailable':
    'known keys work while the database is away, always',
  'general_settings.allow_user_auth': 'users sign in by console.oidc',
  'general_settings.allowed_routes': 'set operations on keys',
  'general_settings.admin_only_routes': 'administration has its own keys and roles',
  'general_settings.background_health_checks':
    'health is learned from calls, and sluice check --live asks',
  'general_settings.coordination_v2_database_url': 'it is LiteLLM’s own',
  'general_settings.custom_auth*': noHooks,
  'general_settings.custom_key_generate': noHooks,
  'general_settings.custom_sso': 'set console.oidc in sluice.yaml',
  'general_settings.database_*':
    'Sluice has its own database (storage.url); give LiteLLM’s to sluice import with --database',
  'general_settings.default_team_disabled': 'keys belong to a team or to none, as they were made',
  'general_settings.alerting_args': observed,
  'general_settings.allowed_origins':
    'pages of any origin may call with a key that they were given',
  'general_settings.allowed_ips': 'set addresses on the accounts or keys',
  'general_settings.disable_*': part,
  'general_settings.embedding_model': 'a request names its model',
  'general_settings.enable_oauth2*': 'set jwt in sluice.yaml',
  'general_settings.forward_client_headers_to_llm_api':
    'headers that a provider knows are sent on, others are not',
  'general_settings.forward_openai_org_id':
    'write openai-organization into headers of the provider',
  'general_settings.image_generation_model': 'a request names its model',
  'general_settings.litellm_key_header_name':
    'keys are read from authorization, x-api-key, api-key and x-goog-api-key',
  'general_settings.litellm_license': 'it is LiteLLM’s own',
  'general_settings.moderation_model': 'a request names its model',
  'general_settings.oauth2_config_mappings': 'set jwt in sluice.yaml',
  'general_settings.proxy_batch_polling_interval': 'there is no Batch API',
  'general_settings.reject_clientside_metadata_tags':
    'a request may add tags, and never takes those of its key away',
  'general_settings.service_account_settings': byAccounts,
  'general_settings.spend_report_frequency': observed,
  'general_settings.supported_db_objects': 'it says where LiteLLM keeps its settings',
  'general_settings.user_api_key_cache_ttl': 'a changed key is known within a second',
  'general_settings.enable_jwt_auth': 'set jwt in sluice.yaml',
  'general_settings.litellm_jwtauth': 'set jwt in sluice.yaml',
  'general_settings.enforce_user_param': 'keys name the user of a call',
  'general_settings.enforced_params': 'a request without a needed field is refused by the target',
  'general_settings.max_parallel_requests': 'set maxConcurrent on the targets or providers',
  'general_settings.health_check_*': 'health is learned from calls, and sluice check --live asks',
  'general_settings.infer_model_from_keys': 'providers with a key in the environment are on',
  'general_settings.key_management_*': 'write secrets as ${NAME} and let the environment have them',
  'general_settings.master_key':
    'set SLUICE_ADMIN_KEY for administration and make a key for callers (sluice keys create): this one did both',
  'general_settings.max_request_size_mb': 'set server.bodyLimitBytes in sluice.yaml',
  'general_settings.max_response_size_mb': 'responses are streamed and not held',
  'general_settings.pass_through_endpoints':
    'there are no pass-through endpoints beside the client formats',
  'general_settings.proxy_batch_write_at': 'usage is written as it comes',
  'general_settings.proxy_budget_rescheduler_*': 'windows of budgets need no schedule',
  'general_settings.public_routes': 'no operation is open without a key',
  'general_settings.store_model_in_db':
    'providers and routes may always be added while it runs; sluice.yaml declares those in it',
  'general_settings.store_prompts_in_spend_logs': 'set contentLogging',
  'general_settings.maximum_spend_logs_*': 'set usage.keepDays',
  'general_settings.ui_*': 'the console is always there, and administrators sign in to it',
  'general_settings.use_*': 'it is about how LiteLLM runs',
  'general_settings.user_header_*': 'keys name the user of a call',
  'general_settings.user_mcp_management_mode': 'Sluice is no MCP gateway',
  'general_settings.control_plane_url': 'it is LiteLLM’s own',
  'litellm_settings.callbacks': `${noHooks}; for what happens: ${observed}`,
  'litellm_settings.success_callback': observed,
  'litellm_settings.failure_callback': observed,
  'litellm_settings.service_callback*': observed,
  'litellm_settings.callback_settings': observed,
  'litellm_settings.langfuse_*': 'send traces to Langfuse by OTLP (telemetry)',
  'litellm_settings.s3_callback_params': observed,
  'litellm_settings.cache': noCache,
  'litellm_settings.cache_params': noCache,
  'litellm_settings.enable_caching_on_provider_specific_optional_params': noCache,
  'litellm_settings.enable_*': part,
  'litellm_settings.disable_*': part,
  'litellm_settings.budget_duration':
    'there is no budget for the whole gateway: give one to an organization of all keys',
  'litellm_settings.max_budget':
    'there is no budget for the whole gateway: give one to an organization of all keys',
  'litellm_settings.max_end_user_budget*':
    'end users have no budgets; make a key for each, or count by tag',
  'litellm_settings.max_internal_user_budget': byAccounts,
  'litellm_settings.internal_user_budget_duration': byAccounts,
  'litellm_settings.max_user_budget': byAccounts,
  'litellm_settings.default_internal_user_params': byAccounts,
  'litellm_settings.default_key_generate_params': byAccounts,
  'litellm_settings.default_max_internal_user_budget': byAccounts,
  'litellm_settings.default_team_params': byAccounts,
  'litellm_settings.default_team_settings': byAccounts,
  'litellm_settings.upperbound_key_generate_params': byAccounts,
  'litellm_settings.key_generation_settings':
    'set ownKeys on the accounts whose users may make keys',
  'litellm_settings.content_policy_fallbacks':
    'a refusal for its content is an answer, and goes to the caller',
  'litellm_settings.custom_provider_map': noHooks,
  'litellm_settings.post_call_rules': noHooks,
  'litellm_settings.pre_call_rules': noHooks,
  'litellm_settings.guardrails': noHooks,
  'litellm_settings.drop_params':
    'fields that a target cannot express are refused unless they only advise; drop_params: true is unsupported: report',
  'litellm_settings.force_ipv4': 'set it for the machine',
  'litellm_settings.forward_traceparent_to_llm_provider':
    'traceparent is sent where telemetry is on',
  'litellm_settings.json_logs': 'log lines are JSON',
  'litellm_settings.log_raw_request_response': 'set contentLogging',
  'litellm_settings.mcp_*': 'Sluice is no MCP gateway',
  'litellm_settings.modify_params': 'requests are always adapted to the target',
  'litellm_settings.redact_*':
    'contents are not kept unless contentLogging says so, and are masked then',
  'litellm_settings.turn_off_message_logging':
    'contents are not kept unless contentLogging says so',
  'litellm_settings.set_verbose': logs,
  'litellm_settings.ssl_*':
    'certificates are verified; name an own authority in ca of the provider',
  'litellm_settings.suppress_debug_info': logs,
  'litellm_settings.telemetry': 'nothing is sent home',
  'litellm_settings.use_*': 'it is about how LiteLLM runs',
  'litellm_settings.public_model_groups*': 'the list of models is behind a key',
  'router_settings.allowed_fails_policy': 'the breaker counts all failures of a target',
  'router_settings.cache_*': noCache,
  'router_settings.caching_groups': noCache,
  'router_settings.client_ttl': 'connections are kept as long as they are good',
  'router_settings.content_policy_fallbacks':
    'a refusal for its content is an answer, and goes to the caller',
  'router_settings.debug_level': logs,
  'router_settings.set_verbose': logs,
  'router_settings.default_litellm_params': 'write defaults on the routes',
  'router_settings.default_max_parallel_requests': 'set maxConcurrent on the targets or providers',
  'router_settings.default_priority': 'waiting keys take turns',
  'router_settings.disable_cooldowns': 'a target that fails is only tried last',
  'router_settings.enable_pre_call_checks': 'longer and the limits of models are always heeded',
  'router_settings.enable_pre_call_check': 'longer and the limits of models are always heeded',
  'router_settings.enable_tag_filtering': 'routes are not chosen by tags',
  'router_settings.tag_filtering_match_any': 'routes are not chosen by tags',
  'router_settings.alerting_config': observed,
  'router_settings.enable_health_check_routing': 'health is learned from calls',
  'router_settings.health_check_staleness_threshold': 'health is learned from calls',
  'router_settings.guardrail_list': noHooks,
  'router_settings.router_general_settings': 'it is about how LiteLLM runs',
  'router_settings.ignore_invalid_deployments': 'sluice check names every mistake',
  'router_settings.max_fallbacks': 'each fallback is tried once',
  'router_settings.model_group_retry_policy': 'set retries on the route',
  'router_settings.optional_pre_call_checks': 'sticky on a route keeps prompts with their cache',
  'router_settings.polling_interval': 'waiting calls take the next free slot',
  'router_settings.provider_budget_config': 'budgets belong to keys and accounts',
  'router_settings.cache_responses': noCache,
  'router_settings.retry_policy':
    'what failed before it was begun is tried again, whatever the error; what the caller did wrong is not',
  'router_settings.routing_strategy_args': 'the window of the strategies is fixed',
  'router_settings.search_tools': 'Sluice does not search',
}

/** Whole sections. */
export const leftSections: Readonly<Record<string, string>> = {
  assistant_settings: 'there is no Assistants API',
  callback_settings: observed,
  environment_variables: 'set them in the environment of the process',
  files_settings: 'files go to the provider that a request names',
  finetune_settings: 'there is no fine-tuning API',
  guardrails: noHooks,
  include: 'only this file was read: import a file that has everything in it',
  mcp_servers: 'Sluice is no MCP gateway',
  mcp_tools: 'Sluice is no MCP gateway',
  policies: noHooks,
  policy_attachments: noHooks,
  prompts: 'Sluice keeps no prompts',
  search_tools: 'Sluice does not search',
  vector_store_registry: 'Sluice has no vector stores',
  worker_config: 'set server.workers',
}

/** The reason for a setting of a section; undefined if nothing is known of it. */
export function reasonFor(section: string, name: string): string | undefined {
  const full = `${section}.${name}`
  const exact = leftSettings[full]
  if (exact !== undefined) return exact
  const [, why] =
    Object.entries(leftSettings).find(
      ([key]) => key.endsWith('*') && full.startsWith(key.slice(0, -1)),
    ) ?? []
  return why
}
