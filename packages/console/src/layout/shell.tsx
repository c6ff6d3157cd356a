import { Button, Group, Text } from '@mantine/core'
import { Link, Outlet, useLocation } from '@tanstack/react-router'
import { Fragment, Suspense, useState } from 'react'
import { useQueryClient } from '@tanstack/react-query'
import { ask } from '../api/client.ts'
import icon from './icon.svg'
import { placesOf } from '../pages/pages.ts'
import { Loading } from '../parts/states.tsx'
import { roleOf, type Session } from '../session.ts'
import { texts } from '../texts/texts.ts'
import { SchemeButton } from './scheme-button.tsx'
import classes from './shell.module.css'

interface ShellProps {
  readonly session: Session
  readonly version: string
}

/** The menu and the frame around every page. */
export function Shell({ session, version }: ShellProps) {
  const { pathname } = useLocation()
  // On a phone: the menu closes after it has led to another page.
  const [openAt, setOpenAt] = useState<string>()
  const isOpen = openAt === pathname
  return (
    <div className={classes.shell}>
      <a className={classes.skip} href="#main" onClick={focusMain}>
        {texts.skip}
      </a>
      <header className={classes.header}>
        <Link to="/" className={classes.brand}>
          <img src={icon} alt="" width={28} height={28} />
          {texts.product}
        </Link>
        <Button
          className={classes.menuButton}
          variant="default"
          size="sm"
          aria-expanded={isOpen}
          aria-controls="menu"
          onClick={() => setOpenAt(isOpen ? undefined : pathname)}
        >
          {texts.menu}
        </Button>
      </header>
      <div id="menu" className={classes.side} data-open={isOpen}>
        <Menu session={session} />
        <Foot session={session} version={version} />
      </div>
      <main id="main" className={classes.main} tabIndex={-1}>
        <Suspense fallback={<Loading />}>
          <Outlet />
        </Suspense>
      </main>
    </div>
  )
}

/** Moves the focus by script, because the part after `#` holds the address of the page. */
function focusMain(event: React.MouseEvent): void {
  event.preventDefault()
  document.getElementById('main')?.focus()
}

function Menu({ session }: Pick<ShellProps, 'session'>) {
  const places = placesOf(roleOf(session))
  const groups = [...new Set(places.map(({ group }) => group))]
  return (
    <nav aria-label={texts.menu}>
      {groups.map((group) => (
        <Fragment key={group ?? ''}>
          {group !== undefined && <p className={classes.group}>{texts.groups[group]}</p>}
          <ul>
            {places
              .filter((place) => place.group === group)
              .map(({ name }) => (
                <li key={name}>
                  <Link
                    to={`/${name}`}
                    className={classes.place}
                    activeProps={{ 'aria-current': 'page' }}
                  >
                    {texts.pages[name]}
                  </Link>
                </li>
              ))}
            {group === groups.at(-1) && (
              <li>
                <a href="docs" className={classes.place}>
                  {texts.reference}
                </a>
              </li>
            )}
          </ul>
        </Fragment>
      ))}
    </nav>
  )
}

function Foot({ session, version }: ShellProps) {
  const client = useQueryClient()
  async function signOut(): Promise<void> {
    const answered = await ask('signOut').catch(() => undefined)
    client.clear()
    location.assign(answered?.endSessionUrl ?? location.pathname)
  }
  return (
    <footer className={classes.foot}>
      <Text size="sm" c="dimmed">
        {texts.signedInAs}
      </Text>
      <Text size="sm" fw={600} className={classes.who}>
        {session.key.name}
      </Text>
      <Text size="sm" c="dimmed">
        {texts.roles[roleOf(session)]}
      </Text>
      <Group gap="0.5rem" my="0.5rem">
        <Button variant="default" size="xs" onClick={() => void signOut()}>
          {texts.signOut}
        </Button>
        <SchemeButton />
      </Group>
      <Text size="xs" c="dimmed">
        {texts.product} {version}
      </Text>
    </footer>
  )
}
