import { bedrock } from '@sluice/protocols/bedrock/index.ts'
import { awsCredentials, awsSecretFrom, isOfMachine } from './aws-signature.ts'
import type { Provider } from './provider.ts'

export const amazonBedrock: Provider = {
  id: 'amazon-bedrock',
  name: 'Amazon Bedrock',
  type: 'bedrock',
  telemetryName: 'aws.bedrock',
  protocol: bedrock,
  baseUrl: 'https://bedrock-runtime.{region}.amazonaws.com',
  ambient: true,
  environment: ['AWS_BEARER_TOKEN_BEDROCK'],
  secretFrom: awsSecretFrom,
  isOfMachine,
  keyForms:
    'A key is a Bedrock API key, access keys as `ACCESS_KEY_ID:SECRET_ACCESS_KEY[:SESSION_TOKEN]`, or `default-chain`: the role or profile that AWS tools would use, renewed before it expires. The provider is also enabled with `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY`, in a container or pod with a role, and with `AWS_PROFILE`. On an EC2 instance with a role, set `default-chain` as the key.',
  settingsFrom: {
    region: ['AWS_REGION', 'AWS_DEFAULT_REGION'],
    // For the servers that give the credentials of a role.
    httpsProxy: ['https_proxy', 'HTTPS_PROXY'],
    noProxy: ['no_proxy', 'NO_PROXY'],
  },
  settings: { region: 'us-east-1' },
  // Inference profiles of AWS itself are named after their model.
  namesByAccount: (model) =>
    /:(?:application-inference-profile|provisioned-model|custom-model(?:-deployment)?|imported-model)\//.test(
      model,
    ),
  credentials: awsCredentials('bedrock'),
  documentation:
    'https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html',
}
