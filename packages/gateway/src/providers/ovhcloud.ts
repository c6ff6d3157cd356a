import { compatible } from './compatible.ts'

export const ovhcloud = compatible({
  id: 'ovhcloud',
  name: 'OVHcloud AI Endpoints',
  baseUrl: 'https://oai.endpoints.kepler.ai.cloud.ovh.net/v1',
  environment: ['OVHCLOUD_API_KEY', 'OVH_AI_ENDPOINTS_ACCESS_TOKEN'],
  operations: ['chat', 'embed', 'transcribe'],
  documentation: 'https://help.ovhcloud.com/csm/en-public-cloud-ai-endpoints-getting-started',
})
