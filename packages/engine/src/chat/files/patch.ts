/** An edit: the text to find and the text to put in its place. */
export interface Change {
  readonly old: string
  readonly fresh: string
}

/** The same change, with an old text that occurs once: whole lines from its first occurrence in the file to its last. */
export function asOneChange(content: string, change: Change): Change {
  const isOne = content.indexOf(change.old) === content.lastIndexOf(change.old)
  return isOne ? change : wholeLines(content, change)
}

function wholeLines(content: string, { old, fresh }: Change): Change {
  const start = content.lastIndexOf('\n', content.indexOf(old)) + 1
  const newline = content.indexOf('\n', content.lastIndexOf(old) + old.length)
  const lines = content.slice(start, newline < 0 ? content.length : newline)
  return { old: lines, fresh: lines.replaceAll(old, () => fresh) }
}

/** A change in the form of Codex's apply_patch, which supports only whole lines. */
export function patchOf(path: string, content: string, change: Change): string {
  const { old, fresh } = wholeLines(content, change)
  const hunk = [
    ...old.split('\n').map((line) => `-${line}`),
    ...fresh.split('\n').map((line) => `+${line}`),
  ]
  const head = ['*** Begin Patch', `*** Update File: ${path}`, '@@']
  return [...head, ...hunk, '*** End Patch'].join('\n')
}

/** A word of a shell command, quoted if necessary. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
}

/** Undefined for texts of several lines, which sed does not treat as one. */
export function sedCommand(path: string, { old, fresh }: Change): string | undefined {
  if (`${old}${fresh}`.includes('\n')) return undefined
  const pattern = old.replace(/[\\/.*^$[\]]/g, String.raw`\$&`)
  const replacement = fresh.replace(/[\\/&]/g, String.raw`\$&`)
  return `sed -i ${shellWord(`s/${pattern}/${replacement}/g`)} ${shellWord(path)}`
}
