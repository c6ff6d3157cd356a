/** The part of WebAssembly that is used here: the project loads no types of browsers. */
declare namespace WebAssembly {
  class Memory {
    readonly buffer: ArrayBuffer
  }
  class Module {}
  class Instance {
    constructor(module: Module, imports: Readonly<Record<string, object>>)
    /** Of a command of WASI. */
    readonly exports: { readonly memory: Memory; readonly _start: () => unknown }
  }
  function compile(bytes: Uint8Array): Promise<Module>
}
