import './login.css'
import { useState } from 'react'
import type { FormEvent } from 'react'
import mark from '../design/roost.svg?inline'
import { logIn } from '../api/session.js'
import type { Session } from '../api/session.js'
import { CopyLine } from '../ui/copy.js'
import { Field } from '../ui/field.js'
import { Problem } from '../ui/problem.js'
import { t } from '../words/text.js'

interface LoginProps {
  /** There was a session, which has ended. */
  readonly isEnded: boolean
  readonly onDone: (session: Session) => void
}

/** Two fields, so that password managers recognize them. */
export function Login({ isEnded, onDone }: LoginProps) {
  const [problem, setProblem] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const { username, password } = Object.fromEntries(new FormData(event.currentTarget)) as Readonly<
      Record<string, string>
    >
    setBusy(true)
    try {
      onDone(await logIn((username ?? '').trim(), password ?? ''))
    } catch (error) {
      setProblem(error instanceof TypeError ? t('login.unreachable') : (error as Error).message)
      setBusy(false)
    }
  }
  return (
    <main className={isEnded ? 'login above' : 'login'}>
      <form className="card" onSubmit={(event) => void submit(event)} aria-labelledby="login-title">
        <p className="brand">
          <img src={mark} alt="" width={26} height={26} /> Roost
        </p>
        <h1 id="login-title">{t('login.title')}</h1>
        {isEnded && <p className="banner warn">{t('login.ended')}</p>}
        <Problem text={problem} />
        <Field label={t('login.operator')}>
          <input
            className="input"
            name="username"
            autoComplete="username"
            autoCapitalize="none"
            spellCheck={false}
            required
          />
        </Field>
        <Field label={t('login.key')}>
          <input className="input mono" name="password" type="password" autoComplete="current-password" required />
        </Field>
        <button type="submit" className="btn primary" disabled={isBusy}>
          {isBusy ? t('login.busy') : t('login.submit')}
        </button>
        <div className="login-help">
          <p>{t('login.help')}</p>
          <CopyLine text="roost local reset-admin" label={t('ui.copy')} />
        </div>
      </form>
    </main>
  )
}
