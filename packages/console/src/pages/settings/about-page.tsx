import { Text } from '@mantine/core'
import { useAnswer } from '../../api/queries.ts'
import { DataTable } from '../../parts/data-table.tsx'
import { Facts, Section } from '../../parts/facts.tsx'
import { formatCount, formatTime } from '../../parts/formats.ts'
import { Page } from '../../parts/page.tsx'
import { Answer } from '../../parts/states.tsx'
import { aboutTexts } from '../../texts/operation.ts'
import { texts } from '../../texts/texts.ts'

/** The running version, its components, and its performance. */
export function AboutPage() {
  const found = useAnswer('getAbout')
  return (
    <Page title={texts.pages.about}>
      <Answer of={found}>
        {({ version, node, platform, database, startedAt, licence, packages, benchmark }) => (
          <>
            <Section title={texts.product}>
              <Facts
                facts={[
                  [aboutTexts.version, version],
                  [aboutTexts.node, node],
                  [aboutTexts.platform, platform],
                  [aboutTexts.database, database],
                  [aboutTexts.started, formatTime(Date.parse(startedAt))],
                  [aboutTexts.licence, licence],
                ]}
              />
            </Section>
            {benchmark && (
              <Section title={aboutTexts.benchmark}>
                <Text size="sm" c="dimmed" mb="sm">
                  {aboutTexts.measured} {formatTime(Date.parse(benchmark.at))}
                </Text>
                <DataTable
                  label={aboutTexts.benchmark}
                  columns={[
                    { title: aboutTexts.scenario, cell: ({ scenario }) => scenario },
                    { title: aboutTexts.target, cell: ({ target }) => target },
                    {
                      title: aboutTexts.perSecond,
                      cell: ({ requestsPerSecond }) => formatCount(requestsPerSecond),
                      isNumber: true,
                    },
                    {
                      title: aboutTexts.first,
                      cell: ({ firstP50Ms }) => firstP50Ms?.toFixed(2) ?? '–',
                      isNumber: true,
                    },
                  ]}
                  rows={benchmark.rows}
                  idOf={({ scenario, target }) => `${scenario} ${target}`}
                />
              </Section>
            )}
            <Section title={aboutTexts.packages}>
              {packages.length === 0 ? (
                <Text size="sm">{aboutTexts.noPackages}</Text>
              ) : (
                <details>
                  <summary>{aboutTexts.showPackages(packages.length)}</summary>
                  <DataTable
                    label={aboutTexts.packages}
                    columns={[
                      { title: aboutTexts.package, cell: ({ name }) => name },
                      { title: aboutTexts.version, cell: ({ version: of }) => of },
                      { title: aboutTexts.licence, cell: ({ licence: of }) => of },
                    ]}
                    rows={packages}
                    idOf={({ name, version: of }) => `${name} ${of}`}
                  />
                </details>
              )}
            </Section>
          </>
        )}
      </Answer>
    </Page>
  )
}
