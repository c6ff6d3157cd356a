import { readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Plugin, PluginContext } from 'rolldown'

/** `new URL('./file', import.meta.url)`, and `import.meta.resolve('package/file')` for a file of a package. */
const references =
  /new URL\(\s*'([^']+)',\s*import\.meta\.url,?\s*\)|import\.meta\.resolve\(\s*'([^']+)',?\s*\)/g

/**
 * Lets sources name files by where they stand, in the two forms above and with a literal, and takes the file along:
 * a `.ts` file becomes the entry of a chunk of its own (the code of a worker thread), a file of the root folder is
 * published as it is, a folder of dist/ is there already, and any other file or folder is copied beside the code. The files of
 * packages that stay outside of the bundle are looked for when the program runs. `onInput` is told of every file that is read, and
 * of every folder.
 */
export function filesBesideCode(
  root: string,
  external: readonly RegExp[],
  onInput: (path: string) => void,
): Plugin {
  const ours = join(root, 'packages')
  return {
    name: 'files-beside-code',
    transform: {
      filter: { code: /import\.meta\./ },
      handler(code, id) {
        if (!id.startsWith(ours)) return undefined
        const changed = code.replace(references, (whole, relative?: string, inPackage?: string) => {
          if (inPackage !== undefined && external.some((one) => one.test(inPackage))) return whole
          const path =
            inPackage === undefined
              ? resolve(dirname(id), relative ?? '')
              : fileOfPackage(inPackage, id)
          if (!path.includes('node_modules') && !isBuilt(path, root)) onInput(path)
          const url = emitted(this, path, root)
          return inPackage === undefined ? url : `${url}.href`
        })
        if (code.replaceAll(references, '').includes('import.meta.'))
          this.error(
            `${id} names a file in a form that a bundle cannot keep (${import.meta.filename})`,
          )
        return changed === code ? undefined : changed
      },
    },
  }
}

/** An expression that gives the URL of the file. */
function emitted(context: PluginContext, path: string, root: string): string {
  const name = basename(path)
  if (dirname(path) === root) return urlOf(`../${name}`)
  if (isBuilt(path, root)) return urlOf(`./${name}/`)
  if (path.endsWith('.ts')) {
    const entry = context.emitFile({ type: 'chunk', id: path, name: basename(path, '.ts') })
    return `new URL(import.meta.ROLLUP_FILE_URL_${entry})`
  }
  if (!statSync(path).isDirectory()) {
    emitCopy(context, path, name)
    return urlOf(`./${name}`)
  }
  for (const file of readdirSync(path)) emitCopy(context, join(path, file), `${name}/${file}`)
  return urlOf(`./${name}/`)
}

/** A folder that another build puts beside the code. */
function isBuilt(path: string, root: string): boolean {
  return dirname(path) === join(root, 'dist')
}

function urlOf(path: string): string {
  return `new URL('${path}', import.meta.url)`
}

function emitCopy(context: PluginContext, path: string, fileName: string): void {
  const source = readFileSync(path)
  context.emitFile({ type: 'asset', fileName, originalFileName: path, source })
}

function fileOfPackage(specifier: string, importer: string): string {
  return fileURLToPath(import.meta.resolve(specifier, pathToFileURL(importer)))
}
