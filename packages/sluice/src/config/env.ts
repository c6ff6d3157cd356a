/** The environment as it was at the start. An empty variable counts as absent, as shells and compose files set them. */
export type Variables = Readonly<Record<string, string | undefined>>

/** What the environment alone decides, still as text; config.ts makes sense of it. */
export interface Environment {
  readonly host: string | undefined
  /** Where the port was read, so that a mistake is told by its name. */
  readonly port: { readonly name: string; readonly value: string } | undefined
  /** The folder of all that is kept. Default `data`. */
  readonly dataFolder: string
  /** The database server that keeps what there is to keep, instead of a file in the data folder. */
  readonly databaseUrl: string | undefined
  readonly apiKeys: readonly string[]
  readonly adminKey: string | undefined
  /** Named explicitly; absent means `sluice.yaml` if there is one. */
  readonly configFile: string | undefined
  readonly logLevel: string | undefined
  /** Everything, for `${NAME}` in sluice.yaml and for the providers' keys. */
  readonly variables: Variables
}

/** Reads the environment: nothing else in the program does. */
export function readEnvironment(variables: Variables = process.env): Environment {
  const read = (name: string) => secret(name, variables)
  return {
    host: read('SLUICE_HOST') ?? read('HOST'),
    port: firstSet(['SLUICE_PORT', 'PORT'], variables),
    dataFolder: read('SLUICE_DATA') ?? 'data',
    databaseUrl: read('DATABASE_URL'),
    apiKeys: (read('SLUICE_API_KEYS') ?? '')
      .split(',')
      .map((key) => key.trim())
      .filter((key) => key !== ''),
    adminKey: read('SLUICE_ADMIN_KEY'),
    configFile: read('SLUICE_CONFIG'),
    logLevel: read('SLUICE_LOG_LEVEL'),
    variables,
  }
}

/** One variable, trimmed; undefined when absent or empty. */
export function secret(name: string, variables: Variables = process.env): string | undefined {
  return variables[name]?.trim() || undefined
}

function firstSet(names: readonly string[], variables: Variables): Environment['port'] {
  for (const name of names) {
    const value = secret(name, variables)
    if (value !== undefined) return { name, value }
  }
  return undefined
}
