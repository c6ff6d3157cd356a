import { gemini } from '@sluice/protocols/gemini/index.ts'
import { header, type Provider } from './provider.ts'
import { googleRetirements } from './retirements.ts'

export const google: Provider = {
  id: 'google',
  name: 'Google Gemini',
  type: 'gemini',
  telemetryName: 'gcp.gemini',
  protocol: gemini,
  baseUrl: 'https://generativelanguage.googleapis.com',
  baseUrlVariables: ['GOOGLE_GEMINI_BASE_URL'],
  environment: ['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY'],
  credentials: header('x-goog-api-key'),
  retirements: googleRetirements,
  documentation: 'https://ai.google.dev/api',
}
