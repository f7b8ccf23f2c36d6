import { useState } from 'react'
import { rpc } from '../api/client.js'
import type { NodeRecord } from '../api/queries/nodes.js'
import { TextField } from '../form/fields.js'
import { FormDialog } from '../form/form-dialog.js'
import { t } from '../words/text.js'
import { Action } from '../form/form.js'
import { addressChange, addressesOf, checkAddresses } from './address-values.js'

interface AddressesProps {
  readonly node: NodeRecord
}

/** Changes the addresses of a node. */
export function AddressesButton({ node }: AddressesProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Action onClick={() => setOpen(true)}>{t('addresses.open')}</Action>
      {isOpen && <Addresses node={node} onClose={() => setOpen(false)} />}
    </>
  )
}

function Addresses({ node, onClose }: AddressesProps & { readonly onClose: () => void }) {
  const [before] = useState(() => addressesOf(node))
  return (
    <FormDialog
      title={t('addresses.title', { name: node.hostname })}
      submit={t('addresses.save')}
      initial={before}
      check={(values) => checkAddresses(before, values)}
      save={(values) => rpc.nodes.change.mutate({ id: node.id, change: addressChange(before, values) })}
      changes="nodes"
      onClose={onClose}
    >
      {(form) => (
        <>
          <p>{t('addresses.effect')}</p>
          <TextField form={form} name="cluster_facing_ip" label={t('nodes.address')} isCode />
          <TextField form={form} name="outward_facing_ip" label={t('node.outward')} isCode />
          <TextField form={form} name="replication_facing_ip" label={t('node.replication')} isCode />
          <TextField
            form={form}
            name="other_ips"
            label={t('addresses.others')}
            help={t('addresses.others.help')}
            isCode
          />
        </>
      )}
    </FormDialog>
  )
}
