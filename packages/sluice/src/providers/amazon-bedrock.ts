import { bedrock } from '@sluice/protocols'
import { awsCredentials, awsSecretFrom } from './aws-signature.ts'
import type { Provider } from './provider.ts'

/** The secret is a Bedrock API key, or `ACCESS_KEY_ID:SECRET_ACCESS_KEY[:SESSION_TOKEN]`. */
export const amazonBedrock: Provider = {
  id: 'amazon-bedrock',
  name: 'Amazon Bedrock',
  protocol: bedrock,
  baseUrl: 'https://bedrock-runtime.{region}.amazonaws.com',
  ambient: true,
  environment: ['AWS_BEARER_TOKEN_BEDROCK'],
  secretFrom: awsSecretFrom,
  settingsFrom: { region: ['AWS_REGION', 'AWS_DEFAULT_REGION'] },
  settings: { region: 'us-east-1' },
  credentials: awsCredentials('bedrock'),
  documentation:
    'https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html',
}
