import { vertex } from '@sluice/protocols'
import { googleAccess, googleSecretFrom } from './google-access.ts'
import type { Provider } from './provider.ts'

/** The secret is a service account's JSON, an access token, or `application-default`. */
export const googleVertex: Provider = {
  id: 'google-vertex',
  name: 'Google Vertex AI',
  protocol: vertex,
  baseUrl: 'https://aiplatform.googleapis.com',
  // Every region has a host of its own; `global` has the one without a prefix.
  baseUrlFrom: ({ region = 'global' }) =>
    region === 'global'
      ? 'https://aiplatform.googleapis.com'
      : `https://${region}-aiplatform.googleapis.com`,
  ambient: true,
  environment: ['GOOGLE_VERTEX_CREDENTIALS', 'GOOGLE_VERTEX_ACCESS_TOKEN'],
  secretFrom: googleSecretFrom,
  settingsFrom: {
    project: ['GOOGLE_VERTEX_PROJECT', 'GOOGLE_CLOUD_PROJECT'],
    region: ['GOOGLE_VERTEX_LOCATION', 'GOOGLE_CLOUD_LOCATION'],
  },
  credentials: googleAccess,
  documentation: 'https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/inference',
}
