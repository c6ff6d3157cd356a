/** The URLs of databases other than SQLite. Separate from schema.ts, which is not loaded if there is no settings file. */
export const databaseUrlPattern = /^postgres(?:ql)?:\/\/\S+$/
