import '@mantine/core/styles/SegmentedControl.css'
import '@mantine/core/styles/FloatingIndicator.css'
import { SegmentedControl } from '@mantine/core'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Page } from '../../parts/page.tsx'
import { modelTexts } from '../../texts/operation.ts'
import { texts } from '../../texts/texts.ts'
import { ModelsTab } from './models-tab.tsx'
import { ProvidersTab } from './providers-tab.tsx'
import { RoutesPart } from './routes-part.tsx'

type Tab = keyof typeof modelTexts.tabs

/** The callable models, the providers, and the routes. */
export function ModelsPage() {
  const { tab: asked }: { readonly tab?: string } = useSearch({ strict: false })
  const tabs = Object.keys(modelTexts.tabs) as readonly Tab[]
  const tab = tabs.find((one) => one === asked) ?? 'models'
  const navigate = useNavigate()
  return (
    <Page title={texts.pages.models}>
      <SegmentedControl
        aria-label={texts.pages.models}
        value={tab}
        onChange={(chosen) => void navigate({ to: '/models', search: () => ({ tab: chosen }) })}
        data={Object.entries(modelTexts.tabs).map(([value, label]) => ({ value, label }))}
        mb="md"
      />
      {tab === 'models' && <ModelsTab />}
      {tab === 'providers' && <ProvidersTab />}
      {tab === 'routes' && <RoutesPart />}
    </Page>
  )
}
