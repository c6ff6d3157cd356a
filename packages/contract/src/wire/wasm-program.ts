interface WithWebAssembly {
  readonly WebAssembly: {
    readonly Module: new (code: Uint8Array) => object
    readonly Instance: new (module: object) => { readonly exports: unknown }
  }
}

// TypeScript's library declares these only together with those of a browser.
const { WebAssembly } = globalThis as unknown as WithWebAssembly

const pageBytes = 64 * 1024
/** A program may read this much behind the bytes. */
const zeros = Buffer.alloc(64)

interface WithMemory {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number }
}

/** A program whose exports are those of its WebAssembly text, which they are described after, and its memory. */
export interface OpenProgram<P> {
  readonly run: P
  /** All of its memory, which is another buffer after it has grown. */
  room: Buffer
}

/** Opens a program when it is first asked for. Undefined if the processor lacks instructions that it needs. */
export function programOf<P extends WithMemory>(code: string): () => OpenProgram<P> | undefined {
  let opened: OpenProgram<P> | false | undefined
  return () => {
    opened ??= open<P>(code) ?? false
    return opened === false ? undefined : opened
  }
}

function open<P extends WithMemory>(code: string): OpenProgram<P> | undefined {
  try {
    const module = new WebAssembly.Module(Buffer.from(code, 'base64'))
    const run = new WebAssembly.Instance(module).exports as P
    return { run, room: Buffer.from(run.memory.buffer) }
  } catch {
    return undefined
  }
}

/** Copies bytes to a place in a program's memory, with zeros behind them. */
export function load(program: OpenProgram<WithMemory>, bytes: Uint8Array, start: number): void {
  const { memory } = program.run
  const lacking = start + bytes.length + zeros.length - memory.buffer.byteLength
  if (lacking > 0) {
    memory.grow(Math.ceil(lacking / pageBytes))
    program.room = Buffer.from(memory.buffer)
  }
  program.room.set(bytes, start)
  program.room.set(zeros, start + bytes.length)
}
