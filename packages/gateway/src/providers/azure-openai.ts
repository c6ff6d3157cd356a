import { azureDeployments } from '@sluice/protocols/openai/azure.ts'
import { header, type Provider } from './provider.ts'

/** Models are deployment names: `azure-openai/my-deployment`. */
export const azureOpenai: Provider = {
  id: 'azure-openai',
  name: 'Azure OpenAI',
  type: 'azure',
  telemetryName: 'azure.ai.openai',
  protocol: azureDeployments,
  baseUrl: 'https://{resource}.openai.azure.com',
  baseUrlFrom: ({ endpoint }) => endpoint?.replace(/\/+$/, ''),
  environment: ['AZURE_OPENAI_API_KEY', 'AZURE_API_KEY'],
  settingsFrom: {
    resource: ['AZURE_OPENAI_RESOURCE', 'AZURE_RESOURCE_NAME'],
    endpoint: ['AZURE_OPENAI_ENDPOINT'],
    apiVersion: ['AZURE_OPENAI_API_VERSION', 'OPENAI_API_VERSION'],
  },
  credentials: header('api-key'),
  namesByAccount: () => true,
  routingFields: [],
  documentation: 'https://learn.microsoft.com/azure/ai-services/openai/reference',
}
