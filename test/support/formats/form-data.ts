/** An object as the form that a client would send: bytes are files, lists are repeated fields, and the rest is JSON. */
export function formData(value: unknown): FormData {
  const form = new FormData()
  const set = (name: string, part: unknown): void => {
    if (part instanceof Uint8Array) form.append(name, new File([Buffer.from(part)], 'file.wav'))
    else form.append(name, typeof part === 'string' ? part : (JSON.stringify(part) ?? ''))
  }
  if (typeof value === 'object' && value !== null)
    for (const [name, part] of Object.entries(value))
      if (Array.isArray(part)) for (const item of part) set(`${name}[]`, item)
      else set(name, part)
  return form
}
