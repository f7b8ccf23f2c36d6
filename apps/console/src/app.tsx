import { CSPProvider } from '@base-ui/react/csp-provider'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { useMemo, useState, useSyncExternalStore } from 'react'
import { followPreferences } from './api/preferences.js'
import { createQueryClient, pauseQueries, resumeQueries } from './api/query-client.js'
import { logOut } from './api/session.js'
import type { Session } from './api/session.js'
import { SessionContext } from './api/session-context.js'
import { display, onDisplay } from './format/display.js'
import { Login } from './login/login.js'
import { theRouter } from './routes/router.js'
import { Toasts } from './ui/toast.js'

/** Returns a text that changes with the settings that formatted values depend on. */
function useFormatting(): string {
  return useSyncExternalStore(onDisplay, () => {
    const { units, zone, density } = display()
    return `${units} ${zone} ${density}`
  })
}

/** `ended`: the key was revoked or its time is over. The screen stays below the login, with what was typed in it. */
interface Access {
  readonly session: Session | null
  readonly ended: boolean
}

function useAccess(initial: Session | null) {
  const [access, setAccess] = useState<Access>({ session: initial, ended: false })
  const [queries] = useState(() =>
    createQueryClient(() => {
      pauseQueries()
      setAccess(({ session }) => ({ session, ended: true }))
    }),
  )
  const onLogIn = (session: Session) => {
    const isOther = session.operator !== access.session?.operator
    if (isOther) queries.clear()
    followPreferences(session, { mayReload: isOther })
    setAccess({ session, ended: false })
    resumeQueries()
  }
  const actions = useMemo(
    () =>
      access.session && {
        session: access.session,
        logOut: async () => {
          await logOut()
          setAccess({ session: null, ended: false })
          queries.clear()
        },
      },
    [access.session, queries],
  )
  return { access, queries, actions, onLogIn }
}

/** The complete page: the login, or the screens. */
export function App({ initial }: { readonly initial: Session | null }) {
  const { access, queries, actions, onLogIn } = useAccess(initial)
  const formatting = useFormatting()
  return (
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={queries}>
        {actions !== null && (
          <SessionContext value={actions}>
            <div inert={access.ended}>
              <RouterProvider key={`${actions.session.operator} ${formatting}`} router={theRouter()} />
            </div>
          </SessionContext>
        )}
        {(actions === null || access.ended) && <Login isEnded={access.ended} onDone={onLogIn} />}
        <Toasts />
      </QueryClientProvider>
    </CSPProvider>
  )
}
