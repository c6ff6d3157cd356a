import { openai } from '@sluice/protocols/openai/index.ts'
import { header, type Provider } from './provider.ts'

/** Azure's newer endpoint, which uses OpenAI's own protocol and lists the models. */
export const azureOpenaiV1: Provider = {
  id: 'azure-openai-v1',
  name: 'Azure OpenAI (v1)',
  telemetryName: 'azure.ai.openai',
  protocol: openai,
  baseUrl: 'https://{resource}.openai.azure.com/openai/v1',
  environment: ['AZURE_OPENAI_API_KEY', 'AZURE_API_KEY'],
  settingsFrom: { resource: ['AZURE_OPENAI_RESOURCE', 'AZURE_RESOURCE_NAME'] },
  credentials: header('api-key'),
  namesByAccount: () => true,
  routingFields: [],
  documentation: 'https://learn.microsoft.com/azure/ai-foundry/openai/api-version-lifecycle',
}
