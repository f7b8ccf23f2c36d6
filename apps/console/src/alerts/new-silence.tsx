import { alertCodes } from '@roost/api-types/checks'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { rpc } from '../api/client.js'
import { devicesOfHost } from '../api/queries/silences.js'
import { FlagField, SelectField, TextField } from '../form/fields.js'
import { DialogActions, FormBody } from '../form/form.js'
import { spanOptions } from '../form/spans.js'
import { useForm } from '../form/use-form.js'
import type { Form } from '../form/use-form.js'
import { display } from '../format/display.js'
import type { ClusterRecord } from '../shell/use-cluster.js'
import { Dialog } from '../ui/dialog.js'
import { toast } from '../ui/toast.js'
import { t } from '../words/text.js'
import { checkSilence, isEverything, silenceInput } from './silence-values.js'
import type { SilenceValues } from './silence-values.js'

interface NewSilenceProps {
  readonly cluster: ClusterRecord
  /** What the alert has that the silence was asked for. */
  readonly about: Pick<SilenceValues, 'code' | 'node' | 'device' | 'subject'>
  readonly onClose: () => void
}

/** Makes alerts silent for a time. */
export function NewSilence({ cluster, about, onClose }: NewSilenceProps) {
  const queries = useQueryClient()
  const [now] = useState(() => Date.now())
  const form = useForm<SilenceValues, unknown>({
    initial: { ...about, isOnlyHere: true, begins: '', for: '14400', until_worse: false, comment: '' },
    check: (values) => checkSilence(values, cluster.id, now),
    save: async (values) => {
      const node = await nodeIn(cluster.id, values.node.trim())
      return rpc.alertSilences.create.mutate(silenceInput(values, { cluster: cluster.id, node }, Date.now()))
    },
    onSaved: () => {
      void queries.invalidateQueries({ queryKey: ['alerts'] })
      toast(t('silences.added'))
      onClose()
    },
  })
  return (
    <Dialog open onClose={onClose} title={t('silences.new')}>
      <FormBody
        form={form}
        label={t('silences.new')}
        actions={<DialogActions isBusy={form.isBusy} onCancel={onClose} submit={t('silences.add')} />}
      >
        <Matching form={form} cluster={cluster} />
        <div className="form-pair">
          <TextField
            form={form}
            name="begins"
            type="datetime-local"
            label={t('silences.begins')}
            help={t(`silences.begins.${display().zone}`)}
          />
          <SelectField form={form} name="for" label={t('silences.for')} options={spanOptions()} />
        </div>
        <FlagField
          form={form}
          name="until_worse"
          label={t('silences.untilWorse')}
          help={t('silences.untilWorse.help')}
        />
        <TextField form={form} name="comment" label={t('silences.comment')} help={t('silences.comment.help')} />
      </FormBody>
    </Dialog>
  )
}

interface FieldProps {
  readonly form: Form<SilenceValues>
  readonly cluster: ClusterRecord
}

/** What an alert must have to be silent. */
function Matching({ form, cluster }: FieldProps) {
  return (
    <>
      {isEverything(form.values) && <p className="banner warn">{t('silences.everything')}</p>}
      <SelectField
        form={form}
        name="code"
        label={t('alerts.code')}
        options={alertCodes.toSorted().map((code) => [code, code])}
        none={t('silences.everyCode')}
      />
      <div className="form-pair">
        <TextField form={form} name="node" label={t('silences.node')} help={t('silences.node.help')} />
        <DeviceField form={form} cluster={cluster} />
      </div>
      <TextField form={form} name="subject" label={t('silences.subject')} help={t('silences.subject.help')} />
      <FlagField form={form} name="isOnlyHere" label={t('silences.onlyIn', { cluster: cluster.name })} />
    </>
  )
}

/** One of the devices of the node, by its id. Another node has others. */
function DeviceField({ form, cluster }: FieldProps) {
  const { node, device } = form.values
  const { data } = useQuery(devicesOfHost(cluster.id, node.trim()))
  const devices = data ?? []
  const isKnown = node.trim() !== '' && (data === undefined || devices.some(({ id }) => String(id) === device))
  const isLost = device !== '' && !isKnown
  const { set } = form
  useEffect(() => {
    if (isLost) set('device', '')
  })
  return (
    <SelectField
      form={form}
      name="device"
      label={t('silences.device')}
      help={t('silences.device.help')}
      options={devices.map(({ id, name, serial }) => [String(id), serial === null ? name : `${name} (${serial})`])}
      none={t('silences.everyDevice')}
    />
  )
}

/** Returns the id of the node with this host name; undefined without a name. */
async function nodeIn(cluster: number, hostname: string): Promise<number | undefined> {
  if (hostname === '') return undefined
  const { objects } = await rpc.nodes.list.query({ filters: { cluster, hostname }, limit: 1 })
  if (objects[0] === undefined) throw new Error(t('silences.noNode', { name: hostname }))
  return objects[0].id
}
