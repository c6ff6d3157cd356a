/** The value in a document at a path such as `messages.1.content.0`; undefined if there is none. */
export function atPath(document: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>(
      (holder, step) => (holder as Record<string, unknown> | null | undefined)?.[step],
      document,
    )
}
