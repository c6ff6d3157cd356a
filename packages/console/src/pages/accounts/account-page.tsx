import { useParams } from '@tanstack/react-router'
import type { Reply } from '../../api/client.ts'
import { useAnswer } from '../../api/queries.ts'
import { Facts, Section } from '../../parts/facts.tsx'
import { formatTime } from '../../parts/formats.ts'
import { Page } from '../../parts/page.tsx'
import { Answer } from '../../parts/states.tsx'
import { accountTexts } from '../../texts/accounts.ts'
import { texts } from '../../texts/texts.ts'
import { KeyTable } from '../keys/keys-page.tsx'
import { AccountActions } from './account-actions.tsx'
import { Budgets, Spending, TermsFacts } from './account-parts.tsx'
import { AccountState, AccountTable } from './accounts-page.tsx'
import { type Kind, kinds } from './kinds.ts'
import { NameLink } from './names.tsx'

type Account = Reply<'getTeam'>

export function OrganizationPage() {
  return <AccountPage kind="organization" />
}

export function TeamPage() {
  return <AccountPage kind="team" />
}

export function UserPage() {
  return <AccountPage kind="user" />
}

/** One account: its limits, its spending, and the accounts and keys in it. */
function AccountPage({ kind }: { readonly kind: Kind }) {
  const { id = '' } = useParams({ strict: false })
  const account = useAnswer(kinds[kind].get, { path: { id } })
  const { title } = accountTexts.kinds[kind]
  return (
    <Page
      title={account.data?.name ?? title}
      back={{ to: kinds[kind].path, title }}
      actions={account.data && <AccountActions of={account.data} />}
    >
      <Answer of={account}>{(found) => <Shown of={found} />}</Answer>
    </Page>
  )
}

function Shown({ of: account }: { readonly of: Account }) {
  const { id, kind, parentId, createdAt, identity } = account
  return (
    <>
      <Section title={accountTexts.about}>
        <Facts
          facts={[
            [accountTexts.state, <AccountState key="state" of={account} />],
            [
              accountTexts.parent,
              <NameLink key="parent" id={parentId} none={accountTexts.noParent} />,
            ],
            [accountTexts.created, formatTime(createdAt)],
            ...(identity === undefined
              ? []
              : [[accountTexts.signsInBy, accountTexts.openIdConnect] as const]),
          ]}
        />
        <br />
        <TermsFacts of={account} />
      </Section>
      <Budgets holder={id} />
      <Spending title={texts.pages.usage} query={{ [kind]: id }} />
      {kind !== 'user' && (
        <Section title={accountTexts.kinds.user.title}>
          <AccountTable kind="user" parentId={id} />
        </Section>
      )}
      {kind === 'organization' ? (
        <Section title={accountTexts.kinds.team.title}>
          <AccountTable kind="team" parentId={id} />
        </Section>
      ) : (
        <Section title={accountTexts.keys}>
          <KeyTable ownerId={id} />
        </Section>
      )}
    </>
  )
}
