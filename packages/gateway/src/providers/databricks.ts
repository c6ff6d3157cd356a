import { openaiLike } from '@sluice/protocols/openai/index.ts'
import { compatible, withoutModelList } from './compatible.ts'

export const databricks = compatible({
  id: 'databricks',
  name: 'Databricks',
  protocol: withoutModelList(openaiLike({ chat: { effortIn: ['thinking'] } })),
  baseUrl: 'https://{resource}/serving-endpoints',
  environment: ['DATABRICKS_TOKEN'],
  operations: ['chat', 'complete', 'embed'],
  settingsFrom: { resource: ['DATABRICKS_HOST'] },
  // DATABRICKS_HOST may be written with or without https://.
  baseUrlFrom: ({ resource }) =>
    resource === undefined
      ? undefined
      : `https://${resource.replace(/^https:\/\//, '').replace(/\/+$/, '')}/serving-endpoints`,
  documentation:
    'https://docs.databricks.com/aws/en/machine-learning/foundation-model-apis/api-reference',
})
