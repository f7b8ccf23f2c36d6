import { t } from '../words/text.js'

const steps = ['changes', 'plan', 'apply', 'result'] as const

/** Where one is on the way from a change to its deployment. */
export function Steps({ at }: { readonly at: (typeof steps)[number] }) {
  return (
    <ol className="steps" aria-label={t('deploy.steps')}>
      {steps.map((step) => (
        <li key={step} aria-current={step === at ? 'step' : undefined}>
          {t(`deploy.step.${step}`)}
        </li>
      ))}
    </ol>
  )
}
