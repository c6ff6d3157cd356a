import { Anchor, Text } from '@mantine/core'
import { Navigate } from '@tanstack/react-router'
import { placesOf } from '../pages/pages.ts'
import { Page } from '../parts/page.tsx'
import { useRole } from '../session.ts'
import { texts } from '../texts/texts.ts'

/** Redirects to the first page that the role may see. */
export function FirstPage() {
  const [first] = placesOf(useRole())
  return first ? <Navigate to={`/${first.name}`} replace /> : <NotFound />
}

export function NotFound() {
  return (
    <Page title={texts.pages.notFound}>
      <Text>
        <Anchor href="#/" underline="always">
          {texts.home}
        </Anchor>
      </Text>
    </Page>
  )
}
