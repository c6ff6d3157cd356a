import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, join, matchesGlob } from 'node:path'
import { DockerfileParser, type Instruction } from 'dockerfile-ast'
import { root, runProgram } from '../support/npm.ts'

/** A stage as it is after its last instruction. */
export interface Stage {
  /** Holds what the image would have at `/`. */
  readonly folder: string
  readonly env: Readonly<Record<string, string>>
  readonly user: string
  readonly entrypoint: readonly string[]
  readonly command: readonly string[]
  readonly health: readonly string[]
}

export interface Building {
  /** Where the stages go. */
  readonly folder: string
  /** What `FROM` brings: called with the empty folder of the stage. */
  readonly begin: (folder: string) => void
  /** Of the programs that `RUN` starts. */
  readonly env: Readonly<Record<string, string>>
}

interface OpenStage {
  readonly folder: string
  workdir: string
  env: Record<string, string>
  user: string
  entrypoint: readonly string[]
  command: readonly string[]
  health: readonly string[]
}

/**
 * Runs the instructions of a Dockerfile on folders, as far as that goes without a container: COPY, RUN in the stage's working
 * folder, and what the last stage says of its process. RUN sees the machine's own root, so that its commands may name no absolute
 * path. Returns the last stage.
 *
 * @throws Error where an instruction is not known here or fails.
 */
export async function runDockerfile(file: string, building: Building): Promise<Stage> {
  const stages = new Map<string, OpenStage>()
  let stage: OpenStage | undefined
  for (const instruction of DockerfileParser.parse(readFileSync(file, 'utf8')).getInstructions()) {
    const name = instruction.getInstruction()
    if (name === 'FROM') {
      stage = openStage(join(building.folder, `stage-${stages.size}`))
      building.begin(stage.folder)
      stages.set(/\bAS\s+(\S+)/i.exec(textOf(instruction))?.[1] ?? 'last', stage)
    } else if (stage) await runInstruction(instruction, stage, { ...building, stages })
    else if (name !== 'ARG') throw new Error(`${name} stands before FROM`)
  }
  if (!stage) throw new Error('There is no FROM')
  return stage
}

function openStage(folder: string): OpenStage {
  mkdirSync(folder, { recursive: true })
  return { folder, workdir: '/', env: {}, user: 'root', entrypoint: [], command: [], health: [] }
}

async function runInstruction(
  instruction: Instruction,
  stage: OpenStage,
  building: Building & { readonly stages: ReadonlyMap<string, OpenStage> },
): Promise<void> {
  const text = textOf(instruction)
  switch (instruction.getInstruction()) {
    case 'WORKDIR':
      stage.workdir = text
      mkdirSync(join(stage.folder, text), { recursive: true })
      return
    case 'COPY':
      return copy(text.split(/\s+/), stage, building.stages)
    case 'RUN':
      await runProgram('sh', ['-c', text], {
        folder: join(stage.folder, stage.workdir),
        env: building.env,
      })
      return
    case 'ENV':
      for (const [, variable = '', value = ''] of text.matchAll(/(\w+)=(\S+)/g))
        stage.env[variable] = value
      return
    case 'USER':
      stage.user = text
      return
    case 'ENTRYPOINT':
      stage.entrypoint = JSON.parse(text) as string[]
      return
    case 'CMD':
      stage.command = JSON.parse(text) as string[]
      return
    case 'HEALTHCHECK':
      stage.health = JSON.parse(text.slice(text.indexOf('CMD') + 3)) as string[]
      return
    case 'VOLUME':
    case 'EXPOSE':
    case 'STOPSIGNAL':
      return
    default:
      throw new Error(`${instruction.getInstruction()} is not known here`)
  }
}

/** Everything behind the instruction's name, in one line. */
function textOf(instruction: Instruction): string {
  const text = instruction.getTextContent().replaceAll(/\\\n/g, ' ')
  return text.slice(instruction.getInstruction().length).trim()
}

function copy(
  words: readonly string[],
  stage: OpenStage,
  stages: ReadonlyMap<string, OpenStage>,
): void {
  const options = words.filter((word) => word.startsWith('--'))
  const places = words.filter((word) => !word.startsWith('--'))
  const from = options.find((option) => option.startsWith('--from='))?.slice('--from='.length)
  const to = places.at(-1) ?? ''
  const target = join(stage.folder, to.startsWith('/') ? to : join(stage.workdir, to))
  for (const place of places.slice(0, -1)) {
    if (from === undefined) copyContext(place, target)
    else {
      const source = join(stages.get(from)?.folder ?? '', place)
      const intoFolder = to.endsWith('/') && statSync(source).isFile()
      cpSync(source, intoFolder ? join(target, basename(place)) : target, {
        recursive: true,
        verbatimSymlinks: true,
      })
    }
  }
}

/** From the folder of the project, as `.dockerignore` lets it through. */
function copyContext(place: string, target: string): void {
  for (const file of contextFiles().filter((path) => place === '.' || path === place)) {
    const copied = join(target, file)
    mkdirSync(dirname(copied), { recursive: true })
    cpSync(join(root, file), copied)
  }
}

/** The files of the project that a build would be sent, but for what is not under version control. */
function contextFiles(): readonly string[] {
  const lines = readFileSync(join(root, '.dockerignore'), 'utf8').split('\n')
  const patterns = lines.filter((line) => line !== '' && !line.startsWith('#'))
  return projectFiles().filter((file) => {
    let isLeftOut = false
    // The last pattern that covers the file or a folder above it decides.
    for (const pattern of patterns) {
      const isException = pattern.startsWith('!')
      if (covers(isException ? pattern.slice(1) : pattern, file)) isLeftOut = !isException
    }
    return !isLeftOut
  })
}

function covers(pattern: string, file: string): boolean {
  const parts = file.split('/')
  return parts.some((_, index) => matchesGlob(parts.slice(0, index + 1).join('/'), pattern))
}

function projectFiles(): readonly string[] {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard']
  const listed = execFileSync('git', args, { cwd: root, encoding: 'utf8' })
  return listed.split('\0').filter((file) => file !== '' && existsSync(join(root, file)))
}
