export interface ModelCard {
  readonly id: string
  readonly inputTokenLimit?: number
  readonly outputTokenLimit?: number
  readonly displayName?: string
  readonly description?: string
}

export interface ModelList {
  readonly path: string
  decode(body: unknown): readonly ModelCard[]
}
