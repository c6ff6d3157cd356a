import type { Results } from './results.ts'
import type { Measured } from './rounds.ts'

const width = 760
const barLeft = 170
const barWidthMax = 430
const barHeight = 16
const rowHeight = 24
const groupGap = 34
const top = 64

/** The loads that the picture shows. */
const shown: ReadonlySet<string> = new Set([
  'chat-2k',
  'chat-100k',
  'burst-chat',
  'burst-responses',
  'burst-messages',
  'burst-gemini',
])

/** Processor time per request as bars, for the README. Colors and letters are legible on white and on black. */
export function drawPicture({ machine, measured }: Results): string {
  const groups = measured.filter(({ scenario }) => shown.has(scenario.name))
  const parts: string[] = []
  let y = top
  for (const group of groups) {
    parts.push(...drawGroup(group, y))
    y += groupGap + rowHeight * timed(group).length
  }
  const foot = `${machine.cpu}, one core, Node ${machine.node}; ${Object.entries(machine.versions)
    .map(([name, version]) => `${name} ${version}`)
    .join(', ')}`
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${y + 20}" width="${width}" height="${y + 20}" role="img" aria-label="Processor time per request">
<style>
text { font: 13px system-ui, sans-serif; fill: #57606a }
.title { font-size: 16px; font-weight: 600; fill: #24292f }
.group { font-weight: 600; fill: #24292f }
.bar { fill: #8c959f }
.ours { fill: #2f81f7 }
@media (prefers-color-scheme: dark) {
  text { fill: #9ea7b3 }
  .title, .group { fill: #e6edf3 }
  .bar { fill: #6e7681 }
}
</style>
<text class="title" x="16" y="28">Processor time per request, in microseconds (less is better)</text>
${parts.join('\n')}
<text x="16" y="${y + 6}" style="font-size: 11px">${escaped(foot)}</text>
</svg>
`
}

function timed({ rows }: Measured) {
  return rows.flatMap(({ target, cpuUs }) => (cpuUs === undefined ? [] : [{ target, cpuUs }]))
}

function drawGroup(group: Measured, y: number): readonly string[] {
  const rows = timed(group)
  const most = Math.max(...rows.map(({ cpuUs }) => cpuUs))
  return [
    `<text class="group" x="16" y="${y}">${escaped(group.scenario.title)}</text>`,
    ...rows.flatMap(({ target, cpuUs }, index) => {
      const rowTop = y + 10 + index * rowHeight
      const length = Math.max(2, Math.round((cpuUs / most) * barWidthMax))
      const kind = target.startsWith('sluice') ? 'bar ours' : 'bar'
      return [
        `<text x="${barLeft - 10}" y="${rowTop + 13}" text-anchor="end">${escaped(target)}</text>`,
        `<rect class="${kind}" x="${barLeft}" y="${rowTop}" width="${length}" height="${barHeight}" rx="2"/>`,
        `<text x="${barLeft + length + 8}" y="${rowTop + 13}">${Math.round(cpuUs)}</text>`,
      ]
    }),
  ]
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
