/** Addresses of APIs whose clients are served here that this gateway does not offer. */

/** A method or `*`, a path, and what is there. `{x}` is one segment, and `/**` the path itself with all below it. */
type Row = readonly [methods: string, path: string, what: string]

/** OpenAI's (https://platform.openai.com/docs/api-reference), below `/v1`. */
const openAi: readonly Row[] = [
  ['*', '/assistants/**', 'assistants'],
  ['*', '/audio/voice_consents/**', 'custom voices'],
  ['*', '/audio/voices/**', 'custom voices'],
  ['*', '/batches/**', 'batches'],
  ['GET', '/chat/completions', 'stored chat completions'],
  ['*', '/chat/completions/{id}/**', 'stored chat completions'],
  ['*', '/chatkit/**', 'ChatKit'],
  ['*', '/containers/**', 'containers'],
  ['*', '/content_provenance_checks/**', 'content provenance checks'],
  ['*', '/edits', 'edits'],
  ['*', '/engines', 'engines'],
  ['*', '/evals/**', 'evals'],
  ['*', '/files/**', 'files'],
  ['*', '/fine-tunes/**', 'fine-tuning'],
  ['*', '/fine_tuning/**', 'fine-tuning'],
  ['POST', '/images/variations', 'image variations'],
  ['DELETE', '/models/{model}/**', 'deleting models'],
  ['*', '/organization/**', 'administration of an organization'],
  ['*', '/projects/**', 'administration of projects'],
  ['*', '/realtime/**', 'realtime sessions'],
  ['*', '/skills/**', 'skills'],
  ['*', '/threads/**', 'threads and runs'],
  ['*', '/uploads/**', 'uploads'],
  ['*', '/vector_stores/**', 'vector stores'],
  ['*', '/videos/characters/**', 'characters of videos'],
  ['POST', '/videos/edits', 'editing videos'],
  ['POST', '/videos/extensions', 'extending videos'],
  ['POST', '/videos/{id}/remix', 'remixing videos'],
]

/** Anthropic's (https://platform.claude.com/docs/en/api/overview), below `/v1`. */
const anthropic: readonly Row[] = [
  ['*', '/agents/**', 'agents'],
  ['*', '/complete', 'text completions of Anthropic'],
  ['*', '/compliance/**', 'compliance'],
  ['*', '/deployment_runs/**', 'deployments'],
  ['*', '/deployments/**', 'deployments'],
  ['*', '/dreams/**', 'dreams'],
  ['*', '/environments/**', 'environments'],
  ['*', '/memory_stores/**', 'memory stores'],
  ['*', '/messages/batches/**', 'message batches'],
  ['*', '/organizations/**', 'administration of an organization'],
  ['*', '/sessions/**', 'sessions'],
  ['*', '/tunnels/**', 'tunnels'],
  ['*', '/user_profiles/**', 'user profiles'],
  ['*', '/vaults/**', 'vaults'],
]

/** Google's (https://ai.google.dev/api), below its versions. */
const google: readonly Row[] = [
  ['*', '/agents/**', 'agents'],
  ['*', '/authTokens/**', 'tokens for live sessions'],
  ['*', '/auth_tokens/**', 'tokens for live sessions'],
  ['*', '/batchPredictionJobs/**', 'batches'],
  ['*', '/batches/**', 'batches'],
  ['*', '/cachedContents/**', 'cached contents'],
  ['*', '/corpora/**', 'corpora'],
  ['*', '/dynamic/**', 'dynamic models'],
  ['*', '/fileSearchStores/**', 'file search stores'],
  ['*', '/files/**', 'files'],
  ['*', '/files:register', 'files'],
  ['*', '/generatedFiles/**', 'generated files'],
  ['*', '/interactions/**', 'interactions'],
  ['POST', '/models/{model}:asyncBatchEmbedContent', 'batches of embeddings'],
  ['POST', '/models/{model}:batchGenerateContent', 'batches'],
  ['POST', '/models/{model}:computeTokens', 'token ids'],
  ['POST', '/models/{model}:predict', 'pictures by predict'],
  ['POST', '/models/{model}:predictLongRunning', 'videos by predictLongRunning'],
  ['*', '/models/{model}/operations/**', 'operations of models'],
  ['PATCH', '/models/{id}', 'tuned models'],
  ['DELETE', '/models/{id}', 'tuned models'],
  ['*', '/operations/**', 'operations'],
  ['*', '/tunedModels/**', 'tuned models'],
  ['*', '/tuningJobs/**', 'tuning'],
  ['*', '/webhooks/**', 'webhooks'],
]

/** What has addresses of its own beside the versions of an API. */
const elsewhere: readonly Row[] = [
  ['*', '/upload/**', 'uploads of files'],
  ['*', '/download/**', 'downloads of files'],
  ['*', '/ws/**', 'live sessions'],
]

interface Known {
  readonly methods: string
  readonly pattern: RegExp
  readonly what: string
}

let patterns: readonly Known[] | undefined

/** What is at an address of one of these APIs that this gateway does not offer; undefined for all others. */
export function knownElsewhere(method: string, path: string): string | undefined {
  patterns ??= [
    // As `other-addresses.ts` serves those that are offered.
    ...openAi.map((row) =>
      known(row, '(?:/v1beta/openai|/v1alpha/openai|(?:/openai)?(?:/v1){0,2})'),
    ),
    ...anthropic.map((row) => known(row, '(?:/v1){0,2}')),
    ...google.map((row) => known(row, '/v1(?:beta|alpha|beta1)?')),
    ...elsewhere.map((row) => known(row, '')),
  ]
  return patterns.find(
    ({ methods, pattern }) => (methods === '*' || methods === method) && pattern.test(path),
  )?.what
}

function known([methods, path, what]: Row, root: string): Known {
  const source = path
    .replace(/\/\*\*$/, '(?:/.*)?')
    .replace(/\{model\}/, '.+')
    .replaceAll(/\{\w+\}/g, '[^/]+')
  return { methods, pattern: new RegExp(`^${root}${source}/?$`), what }
}
