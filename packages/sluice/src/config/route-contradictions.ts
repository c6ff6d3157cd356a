import type { Mistake } from './explain-errors.ts'
import type { ConfigFile } from './schema.ts'

type Models = NonNullable<ConfigFile['models']>
type Route = Exclude<Models[string], string>

/** What contradicts itself in routes, and the schema cannot express. */
export function routeContradictions(models: Models): readonly Mistake[] {
  return Object.entries(models).flatMap(([name, written]) =>
    typeof written === 'string' ? [] : within(name, contradictions(written)),
  )
}

function within(name: string, mistakes: readonly Mistake[]): readonly Mistake[] {
  return mistakes.map(({ path, problem }) => ({ path: ['models', name, ...path], problem }))
}

function contradictions({ defaults = {} }: Route): readonly Mistake[] {
  const hasBoth = defaults.max_tokens !== undefined && defaults.max_completion_tokens !== undefined
  return hasBoth
    ? [
        {
          path: ['defaults', 'max_tokens'],
          problem: 'must not stand beside max_completion_tokens, which is the same',
        },
      ]
    : []
}
