import { Title } from '@mantine/core'
import { lazy, Suspense } from 'react'
import { useAnswer } from '../api/queries.ts'
import { Failure, Loading } from '../parts/states.tsx'
import { texts } from '../texts/texts.ts'
import { Shell } from './shell.tsx'
import classes from './sign-in.module.css'

const SignIn = lazy(async () => ({ default: (await import('./sign-in.tsx')).SignIn }))

/**
 * The frame of every page. Without a session it shows the sign-in form first, and the requested page afterwards. A signed-in
 * session is kept while the gateway cannot be reached.
 */
export function Root() {
  const { data, error, refetch } = useAnswer('getSession')
  if (!data)
    return error ? (
      <main className={classes.page}>
        <div className={classes.card}>
          <Title order={1} size="h2" mb="md">
            {texts.product}
          </Title>
          <Failure error={error} retry={() => void refetch()} />
        </div>
      </main>
    ) : (
      <Loading />
    )
  if (!data.session)
    return (
      <Suspense fallback={<Loading />}>
        <SignIn oidc={data.oidc} />
      </Suspense>
    )
  return <Shell session={data.session} version={data.version} />
}
