import { Fragment } from 'react'
import { Dialog } from '../ui/dialog.js'
import { t } from '../words/text.js'
import { sections } from './navigation.js'

/** The keys that the console understands. */
export function KeyHelp({ onClose }: { readonly onClose: () => void }) {
  const keys: readonly (readonly [keys: readonly string[], text: string])[] = [
    [['Ctrl', 'K'], t('keys.palette')],
    ...sections.flatMap(({ entries }) =>
      entries.map(({ key, name }) => [['g', key], t('keys.go', { screen: t(name) })] as const),
    ),
    [['↑', '↓', 'Home', 'End'], t('keys.rows')],
    [['Enter'], t('keys.open')],
    [['Space', 'Ctrl', 'A'], t('keys.select')],
    [['f'], t('keys.filter')],
    [['r'], t('keys.refresh')],
    [['t'], t('keys.theme')],
    [['?'], t('keys.help')],
  ]
  return (
    <Dialog open onClose={onClose} title={t('keys.title')}>
      <dl className="key-list">
        {keys.map(([names, text]) => (
          <Fragment key={text}>
            <dt>
              {names.map((name) => (
                <kbd key={name} className="kbd">
                  {name}
                </kbd>
              ))}
            </dt>
            <dd>{text}</dd>
          </Fragment>
        ))}
      </dl>
    </Dialog>
  )
}
