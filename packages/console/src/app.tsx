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
      // What was refused is refused again; what could not be reached may come back.
      retry: (tries, error) =>
        tries < triesMax && error instanceof ApiError && (error.status === 0 || error.status > 500),
    },
  },
})

// Asked while the page's own scripts are read.
void client.prefetchQuery({ queryKey: keyOf('getSession'), queryFn: () => ask('getSession') })
onSignedOut(() => void client.resetQueries({ queryKey: keyOf('getSession') }))

/** The gateway's own word of this load, which lets components write styles into the page. */
const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? ''
// A library of a component asks for it by this name.
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
