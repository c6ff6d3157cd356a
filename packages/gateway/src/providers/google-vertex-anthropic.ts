import { vertexAnthropic } from '@sluice/protocols/vertex-anthropic/index.ts'
import { googleVertexAccess } from './google-access.ts'
import type { Provider } from './provider.ts'

export const googleVertexAnthropic: Provider = {
  id: 'google-vertex-anthropic',
  name: 'Claude on Google Vertex AI',
  telemetryName: 'gcp.vertex_ai',
  protocol: vertexAnthropic,
  ...googleVertexAccess,
  documentation: 'https://cloud.google.com/vertex-ai/generative-ai/docs/partner-models/claude',
}
