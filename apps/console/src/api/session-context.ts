import { createContext, useContext } from 'react'
import type { Session } from './session.js'

export interface SessionActions {
  readonly session: Session
  readonly logOut: () => Promise<void>
}

export const SessionContext = createContext<SessionActions | null>(null)

/** Returns the session of the operator who uses the page. */
export function useSession(): SessionActions {
  const actions = useContext(SessionContext)
  if (actions === null) throw new Error('No operator is logged in.')
  return actions
}

/** Returns false for operators who can only read. */
export function useMayChange(): boolean {
  return useSession().session.role === 'admin'
}
