import { lazy, Suspense } from 'react'
import { useAnswer } from '../api/queries.ts'
import { Failure, Loading } from '../parts/states.tsx'
import { Shell } from './shell.tsx'

const SignIn = lazy(async () => ({ default: (await import('./sign-in.tsx')).SignIn }))

/** Whatever page is asked for: whoever is not signed in signs in first, and comes to it then. */
export function Root() {
  const { data, error, refetch } = useAnswer('getSession')
  if (error) return <Failure error={error} retry={() => void refetch()} />
  if (!data) return <Loading />
  if (!data.session)
    return (
      <Suspense fallback={<Loading />}>
        <SignIn oidc={data.oidc} />
      </Suspense>
    )
  return <Shell session={data.session} version={data.version} />
}
