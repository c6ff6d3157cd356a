/** The versions below which Google's clients find the API; each has all of it (Gemini API, API versions explained). */
export const geminiVersions = ['/v1beta', '/v1alpha', '/v1'] as const

/** The addresses of a method of a model. */
export function methodPaths(method: string): readonly string[] {
  return geminiVersions.map((version) => `${version}/models/{model}:${method}`)
}
