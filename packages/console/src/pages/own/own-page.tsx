import { Text } from '@mantine/core'
import { useAnswer } from '../../api/queries.ts'
import { Page } from '../../parts/page.tsx'
import { Answer } from '../../parts/states.tsx'
import { texts } from '../../texts/texts.ts'

/** What a plain user has used. */
export function OwnPage() {
  const usage = useAnswer('getOwnUsage')
  return (
    <Page title={texts.pages.own}>
      <Answer of={usage}>{({ total }) => <Text>{total.calls}</Text>}</Answer>
    </Page>
  )
}
