// Makes packages/contract/src/wire/json-outline-code.ts of the text beside it: `npm run wasm`.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import wabt from 'wabt'

const folder = join(import.meta.dirname, '../packages/contract/src/wire')
const textFile = join(folder, 'json-outline.wat')

export const codeFile = join(folder, 'json-outline-code.ts')

/** The program as a source file, so that whatever takes sources along takes it, too. */
export async function formatCode(): Promise<string> {
  const tools = await wabt()
  const parsed = tools.parseWat(textFile, readFileSync(textFile, 'utf8'), { simd: true })
  const { buffer } = parsed.toBinary({})
  parsed.destroy()
  const bytes = Buffer.from(buffer)
  const lines = bytes.toString('base64').match(/.{1,90}/g) ?? []
  const text = lines.map((line) => `  '${line}'`).join(' +\n')
  return `// Made of json-outline.wat: \`npm run wasm\`.\nexport const code =\n${text}\n`
}

if (import.meta.main) writeFileSync(codeFile, await formatCode())
