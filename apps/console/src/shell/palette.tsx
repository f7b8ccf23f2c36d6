import './palette.css'
import { Autocomplete } from '@base-ui/react/autocomplete'
import { Dialog } from '@base-ui/react/dialog'
import { useState } from 'react'
import { errorText } from '../api/error-text.js'
import { useRecordHits } from '../hits/record-hits.js'
import type { PaletteEntry } from '../hits/record-hits.js'
import { t } from '../words/text.js'
import { usePaletteEntries } from './palette-entries.js'

/** Everything that has a name, by Ctrl+K: screens, actions and records. */
export function Palette({ onClose }: { readonly onClose: () => void }) {
  const [query, setQuery] = useState('')
  const { found: records, isPending, error } = useRecordHits(query)
  const found = [...usePaletteEntries(query), ...records]
  const run = (entry: PaletteEntry) => {
    onClose()
    entry.run()
  }
  return (
    <Dialog.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="veil" />
        <Dialog.Popup className="dialog palette" aria-label={t('shell.find')}>
          <Autocomplete.Root
            inline
            open
            items={found}
            filter={null}
            value={query}
            onValueChange={setQuery}
            autoHighlight="always"
            itemToStringValue={({ name }: PaletteEntry) => name}
          >
            <Autocomplete.Input placeholder={t('shell.search')} aria-label={t('shell.find')} />
            {error !== null && (
              <p className="palette-empty" role="alert">
                {errorText(error)}
              </p>
            )}
            <Autocomplete.Empty>
              {error === null && <p className="palette-empty">{t(isPending ? 'ui.loading' : 'shell.noHit')}</p>}
            </Autocomplete.Empty>
            <Autocomplete.List className="palette-list">
              {(entry: PaletteEntry) => (
                <Autocomplete.Item key={entry.id} value={entry} onClick={() => run(entry)}>
                  <entry.icon size={15} aria-hidden="true" />
                  <span className="palette-name">{entry.name}</span>
                  <small>{entry.hint}</small>
                </Autocomplete.Item>
              )}
            </Autocomplete.List>
          </Autocomplete.Root>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
