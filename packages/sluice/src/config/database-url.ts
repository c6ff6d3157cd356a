/** The databases beside SQLite that a setting may name. Apart from schema.ts, which a start without a file never loads. */
export const databaseUrlPattern = /^postgres(?:ql)?:\/\/\S+$/
