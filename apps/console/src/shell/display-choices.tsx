import { useSyncExternalStore } from 'react'
import { preferencesSaved } from '../api/preferences.js'
import { display, onDisplay, setDisplay } from '../format/display.js'
import type { Display } from '../format/display.js'
import { language, languages } from '../words/locale.js'
import { t } from '../words/text.js'

const languageNames = { en: 'English', de: 'Deutsch' } as const

/** How the console is displayed to this operator. */
export function DisplayChoices() {
  const { theme, density, units, zone, keys } = useSyncExternalStore(onDisplay, display)
  return (
    <div className="display-choices">
      <Choice
        label={t('display.theme')}
        value={theme}
        onChange={(theme) => setDisplay({ theme })}
        choices={{ system: t('display.theme.system'), light: t('display.theme.light'), dark: t('display.theme.dark') }}
      />
      <Choice
        label={t('display.density')}
        value={density}
        onChange={(density) => setDisplay({ density })}
        choices={{ comfortable: t('display.density.comfortable'), compact: t('display.density.compact') }}
      />
      <Choice
        label={t('display.units')}
        value={units}
        onChange={(units) => setDisplay({ units })}
        choices={{ decimal: t('display.units.decimal'), binary: t('display.units.binary') }}
      />
      <Choice
        label={t('display.zone')}
        value={zone}
        onChange={(zone) => setDisplay({ zone })}
        choices={{ local: t('display.zone.local'), utc: t('display.zone.utc') }}
      />
      <Choice
        label={t('display.keys')}
        value={keys ? 'on' : 'off'}
        onChange={(keys) => setDisplay({ keys: keys === 'on' })}
        choices={{ on: t('display.keys.on'), off: t('display.keys.off') }}
      />
      <Choice label={t('display.language')} value={language} onChange={chooseLanguage} choices={languageNames} />
    </div>
  )
}

/** Formats of numbers and dates are made when the page starts. */
function chooseLanguage(next: (typeof languages)[number]): void {
  setDisplay({ language: next } satisfies Partial<Display>)
  void preferencesSaved().then(() => location.reload())
}

interface ChoiceProps<V extends string> {
  readonly label: string
  readonly value: V
  readonly choices: Readonly<Record<V, string>>
  readonly onChange: (value: V) => void
}

function Choice<V extends string>({ label, value, choices, onChange }: ChoiceProps<V>) {
  return (
    <div className="choice">
      <span>{label}</span>
      <div className="seg" role="group" aria-label={label}>
        {(Object.keys(choices) as V[]).map((each) => (
          <button key={each} type="button" aria-pressed={each === value} onClick={() => onChange(each)}>
            {choices[each]}
          </button>
        ))}
      </div>
    </div>
  )
}
