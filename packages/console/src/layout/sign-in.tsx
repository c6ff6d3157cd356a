import { Alert, Anchor, Button, Group, PasswordInput, Stack, Text, Title } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useRef, useState } from 'react'
import type { Reply } from '../api/client.ts'
import { useChange } from '../api/queries.ts'
import icon from './icon.svg'
import { signInTexts } from '../texts/sign-in.ts'
import { texts } from '../texts/texts.ts'
import { SchemeButton } from './scheme-button.tsx'
import classes from './sign-in.module.css'

/** Signs in with the OpenID Connect issuer, or with a key that the gateway exchanges for a session of this browser. */
export function SignIn({ oidc }: Pick<Reply<'getSession'>, 'oidc'>) {
  const [key, setKey] = useState('')
  const field = useRef<HTMLInputElement>(null)
  const client = useQueryClient()
  const signIn = useChange('signIn', ['getSession'])
  const { error, isPending } = signIn
  function submit(event: FormEvent): void {
    event.preventDefault()
    client.removeQueries({ predicate: ({ queryKey: [id] }) => id !== 'getSession' })
    signIn.mutate(
      { body: { key } },
      { onSettled: () => setKey(''), onError: () => field.current?.focus() },
    )
  }
  return (
    <main className={classes.page}>
      <form className={classes.card} onSubmit={submit}>
        <Stack gap="md">
          <Group gap="0.9rem" wrap="nowrap">
            <img src={icon} alt="" width={40} height={40} />
            <div>
              <Title order={1} size="h2">
                {texts.product}
              </Title>
              <Text c="dimmed">{signInTexts.lead}</Text>
            </div>
          </Group>
          <Problem />
          {oidc && (
            <>
              <Button component="a" href={oidcAddress()}>
                {signInTexts.with(oidc.name)}
              </Button>
              <Text size="sm" c="dimmed" ta="center">
                {signInTexts.or}
              </Text>
            </>
          )}
          <PasswordInput
            ref={field}
            label={signInTexts.key}
            description={signInTexts.keyHint}
            value={key}
            onChange={(event) => setKey(event.currentTarget.value)}
            error={error?.message}
            autoComplete="current-password"
            visibilityToggleButtonProps={{ 'aria-label': signInTexts.show, tabIndex: 0 }}
            required
            withAsterisk={false}
            autoFocus={!oidc}
          />
          <Button type="submit" loading={isPending} variant={oidc ? 'default' : 'filled'}>
            {oidc ? signInTexts.submitKey : signInTexts.submit}
          </Button>
          <Group gap="0.9rem" justify="space-between">
            <Anchor href="docs" underline="always">
              {texts.reference}
            </Anchor>
            <SchemeButton />
          </Group>
        </Stack>
      </form>
    </main>
  )
}

/** Why the sign-in with the issuer failed, as the gateway reports it after `#`. */
function Problem() {
  const parameters = new URLSearchParams(location.hash.split('?')[1])
  const problem = parameters.get('problem')
  if (problem === null) return null
  const known: Readonly<Record<string, string>> = signInTexts.problems
  const request = parameters.get('request')
  return (
    <Alert color="red" variant="outline" role="alert" title={signInTexts.failed}>
      <Text size="sm">
        {Object.hasOwn(known, problem) ? known[problem] : signInTexts.problems.failed}
      </Text>
      {request !== null && /^[\w-]{1,64}$/.test(request) && (
        <Text size="sm" mt="xs" c="dimmed" className={classes.request}>
          {signInTexts.request(request)}
        </Text>
      )}
    </Alert>
  )
}

/** The browser navigates there instead of calling it, so it is not one of the operations; relative like them. */
const oidcPlace = 'admin/v1/session/oidc'

/** The sign-in address, with the requested page, which is shown afterwards. */
function oidcAddress(): string {
  const [page = ''] = location.hash.slice(1).split('?')
  const isPage = /^\/[\w.~-][\w/.~-]{0,199}$/.test(page)
  return isPage ? `${oidcPlace}?${String(new URLSearchParams({ returnTo: page }))}` : oidcPlace
}
