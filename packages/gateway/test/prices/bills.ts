import fees from './bills-fees.json' with { type: 'json' }
import data from './bills.json' with { type: 'json' }

/** What a provider replied, and what it costs. */
export interface Bill {
  readonly name: string
  /**
   * Whose words the usage is in; `normal` is the normal form. `chat`, `response`, `message`, `content` and `converse` are whole
   * responses.
   */
  readonly reader: string
  readonly provider: string
  readonly model: string
  readonly operation: string
  readonly usage: Readonly<Record<string, unknown>>
  /** What the codec adds. */
  readonly also?: Readonly<Record<string, number>>
  readonly bill: readonly (readonly number[])[] | null
  readonly microUsd: number | null
  /** When; default noon. */
  readonly at?: string
}

export const bills: readonly Bill[] = [...data, ...(fees as readonly Bill[])]
