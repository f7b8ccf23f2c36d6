interface ProblemProps {
  /** Undefined or null: there is none. */
  readonly text: string | null | undefined
}

/** Why what somebody asked for was not done. */
export function Problem({ text }: ProblemProps) {
  if (text === undefined || text === null) return null
  return (
    <p className="banner bad" role="alert">
      {text}
    </p>
  )
}
