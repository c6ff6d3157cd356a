// Makes the programs in packages/contract/src/wire/*-code.ts of the texts beside them: `npm run wasm`.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import wabt from 'wabt'

const folder = join(import.meta.dirname, '../packages/contract/src/wire')

export const programs = ['json-outline', 'plain-events'] as const
type ProgramName = (typeof programs)[number]

export function codeFile(name: ProgramName): string {
  return join(folder, `${name}-code.ts`)
}

/** The program as a source file, so that whatever takes sources along takes it, too. */
export async function formatCode(name: ProgramName): Promise<string> {
  const tools = await wabt()
  const textFile = join(folder, `${name}.wat`)
  const parsed = tools.parseWat(textFile, readFileSync(textFile, 'utf8'), { simd: true })
  const { buffer } = parsed.toBinary({})
  parsed.destroy()
  const bytes = Buffer.from(buffer)
  const lines = bytes.toString('base64').match(/.{1,90}/g) ?? []
  const text = lines.map((line) => `  '${line}'`).join(' +\n')
  return `// Made of ${name}.wat: \`npm run wasm\`.\nexport const code =\n${text}\n`
}

if (import.meta.main)
  for (const name of programs) writeFileSync(codeFile(name), await formatCode(name))
