/**
 * The price library's names of the catalogue's providers. Providers missing here, and custom ones, have only the prices in
 * sluice.yaml.
 */
export const libraryProviders: Readonly<Record<string, string>> = {
  'amazon-bedrock': 'aws',
  anthropic: 'anthropic',
  'azure-openai': 'azure',
  'azure-openai-v1': 'azure',
  cerebras: 'cerebras',
  cohere: 'cohere',
  deepseek: 'deepseek',
  fireworks: 'fireworks',
  google: 'google',
  'google-vertex': 'google',
  'google-vertex-anthropic': 'google',
  groq: 'groq',
  minimax: 'minimax',
  mistral: 'mistral',
  moonshotai: 'moonshotai',
  novita: 'novita',
  openai: 'openai',
  'openai-responses': 'openai',
  openrouter: 'openrouter',
  ovhcloud: 'ovhcloud',
  perplexity: 'perplexity',
  togetherai: 'together',
  voyage: 'voyageai',
  xai: 'x-ai',
  zai: 'zai',
}
