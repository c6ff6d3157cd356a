import { MantineProvider } from '@mantine/core'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { ApiError, ask, onSignedOut } from './api/client.ts'
import { keyOf } from './api/queries.ts'
import { router } from './router.tsx'
import { theme } from './theme.ts'

const triesMax = 2

const client = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      // A refused request would be refused again; a gateway that could not be reached may come back.
      retry: (tries, error) =>
        tries < triesMax && error instanceof ApiError && (error.status === 0 || error.status > 500),
    },
  },
})

// Requested early, while the page's own scripts are still loading.
void client.prefetchQuery({ queryKey: keyOf('getSession'), queryFn: () => ask('getSession') })
onSignedOut(() => void client.resetQueries({ queryKey: keyOf('getSession') }))

/** The nonce of this page load, with which the gateway lets components insert styles. */
const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? ''
// A library that one of the components uses reads the nonce from this name.
Object.assign(globalThis, { __webpack_nonce__: nonce })

export function App() {
  return (
    <MantineProvider theme={theme} defaultColorScheme="auto" getStyleNonce={() => nonce}>
      <QueryClientProvider client={client}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  )
}
