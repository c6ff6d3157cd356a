import { vertex } from '@sluice/protocols/gemini/index.ts'
import { googleVertexAccess } from './google-access.ts'
import type { Provider } from './provider.ts'

export const googleVertex: Provider = {
  id: 'google-vertex',
  name: 'Google Vertex AI',
  type: 'vertex',
  telemetryName: 'gcp.vertex_ai',
  protocol: vertex,
  ...googleVertexAccess,
  documentation: 'https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/inference',
}
