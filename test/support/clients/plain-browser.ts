/** A browser without rendering: it keeps cookies and follows redirects. */
export class PlainBrowser {
  /** By the host that set them, then by name. */
  readonly #cookies = new Map<string, Map<string, string>>()
  /** All `Set-Cookie` headers received, in order. */
  readonly set: string[] = []
  readonly #headers: Readonly<Record<string, string>>

  /** `headers` are sent with every request. */
  constructor(headers: Readonly<Record<string, string>> = {}) {
    this.#headers = headers
  }

  /** Sends one request without following redirects. */
  async open(address: string, options: RequestInit & { headers?: Record<string, string> } = {}) {
    const { host } = new URL(address)
    const kept = this.#cookies.get(host) ?? new Map<string, string>()
    const cookie = [...kept].map(([name, value]) => `${name}=${value}`).join('; ')
    const answer = await fetch(address, {
      ...options,
      redirect: 'manual',
      signal: AbortSignal.timeout(20_000),
      headers: { ...this.#headers, ...(cookie !== '' && { cookie }), ...options.headers },
    })
    for (const line of answer.headers.getSetCookie()) {
      this.set.push(line)
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (value === '') kept.delete(name)
      else kept.set(name, value)
    }
    this.#cookies.set(host, kept)
    return answer
  }

  /** The value of a cookie, if there is one. */
  cookie(address: string, name: string): string | undefined {
    return this.#cookies.get(new URL(address).host)?.get(name)
  }

  keep(address: string, name: string, value: string): void {
    const { host } = new URL(address)
    this.#cookies.set(host, (this.#cookies.get(host) ?? new Map()).set(name, value))
  }

  /** Follows redirects until the next address starts with `until`, or until a page is reached. */
  async follow(address: string, until = '\0'): Promise<{ at: string; answer?: Response }> {
    let at = address
    for (let steps = 0; steps < 20; steps++) {
      if (at.startsWith(until)) return { at }
      const answer = await this.open(at)
      const to = answer.headers.get('location')
      if (to === null) return { at, answer }
      await answer.body?.cancel()
      at = new URL(to, at).href
    }
    throw new Error(`${address} leads nowhere`)
  }

  /** Sends a form of a page. */
  submit(address: string, fields: Readonly<Record<string, string>>): Promise<Response> {
    return this.open(address, { method: 'POST', body: new URLSearchParams(fields) })
  }
}
