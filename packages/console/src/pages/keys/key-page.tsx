import { useParams } from '@tanstack/react-router'
import type { Reply } from '../../api/client.ts'
import { useAnswer } from '../../api/queries.ts'
import { Facts, Section } from '../../parts/facts.tsx'
import { formatTime } from '../../parts/formats.ts'
import { Page } from '../../parts/page.tsx'
import { Answer } from '../../parts/states.tsx'
import { keyTexts } from '../../texts/keys.ts'
import { termTexts } from '../../texts/terms.ts'
import { texts } from '../../texts/texts.ts'
import { Budgets, Spending, TermsFacts } from '../accounts/account-parts.tsx'
import { NameLink } from '../accounts/names.tsx'
import { KeyActions } from './key-actions.tsx'
import { KeyState } from './key-state.tsx'

type Key = Reply<'getKey'>

/** One key: its permissions and limits, its usage, and the actions for it. */
export function KeyPage() {
  const { id = '' } = useParams({ strict: false })
  const key = useAnswer('getKey', { path: { id } })
  return (
    <Page
      title={key.data?.name ?? keyTexts.key}
      back={{ to: '/keys', title: keyTexts.back }}
      actions={key.data && <KeyActions of={key.data} />}
    >
      <Answer of={key}>{(found) => <Shown of={found} />}</Answer>
    </Page>
  )
}

function Shown({ of: key }: { readonly of: Key }) {
  const { ownerId, prefix, adminRole, createdAt, olderSecrets = [] } = key
  const role = key.role === 'caller' ? 'caller' : (adminRole ?? 'owner')
  return (
    <>
      <Section title={keyTexts.key}>
        <Facts
          facts={[
            [keyTexts.state, <KeyState key="state" of={key} />],
            [keyTexts.secret, `${prefix}…`],
            [keyTexts.role, keyTexts.roles[role]],
            [keyTexts.owner, <NameLink key="owner" id={ownerId} none={keyTexts.nobody} />],
            [keyTexts.created, formatTime(createdAt)],
          ]}
        />
        {olderSecrets.map((older) => (
          <p key={older.prefix}>{keyTexts.older(older.prefix, formatTime(older.expiresAt))}</p>
        ))}
      </Section>
      <Section title={termTexts.limits}>
        <TermsFacts of={key} />
      </Section>
      <Budgets holder={key.id} />
      <Spending title={texts.pages.usage} query={{ key: key.id }} />
    </>
  )
}
