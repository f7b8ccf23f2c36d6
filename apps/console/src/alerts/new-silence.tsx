import { alertCodes } from '@roost/api-types/checks'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { rpc } from '../api/client.js'
import { errorText } from '../api/error-text.js'
import { devicesOfHost } from '../api/queries/silences.js'
import { idIn } from '../api/uri.js'
import { FlagField, SelectField, TextField } from '../form/fields.js'
import { spanOptions } from '../form/spans.js'
import type { Form } from '../form/use-form.js'
import { display } from '../format/display.js'
import type { ClusterRecord } from '../shell/use-cluster.js'
import { FormDialog } from '../form/form-dialog.js'
import { t } from '../words/text.js'
import { checkSilence, isEverything, silenceInput } from './silence-values.js'
import type { SilenceValues } from './silence-values.js'

interface NewSilenceProps {
  readonly cluster: ClusterRecord
  /** What the alert has that the silence was asked for. */
  readonly about: Pick<SilenceValues, 'code' | 'node' | 'device' | 'subject'>
  /** Which node of this host name it was asked for, while the name stays. */
  readonly nodeId: number | undefined
  readonly onClose: () => void
}

/** Makes alerts silent for a time. */
export function NewSilence({ cluster, about, nodeId, onClose }: NewSilenceProps) {
  const [now] = useState(() => Date.now())
  const exactOf = ({ node }: SilenceValues) => (node.trim() === about.node ? nodeId : undefined)
  return (
    <FormDialog<SilenceValues, unknown>
      title={t('silences.new')}
      submit={t('silences.add')}
      initial={{ ...about, isOnlyHere: true, begins: '', for: '14400', until_worse: false, comment: '' }}
      check={(values) => checkSilence(values, cluster.id, now)}
      save={async (values) => {
        const node = await nodeOf(cluster.id, values, exactOf(values))
        return rpc.alertSilences.create.mutate(silenceInput(values, { cluster: cluster.id, node }, Date.now()))
      }}
      changes="alerts"
      saved={() => t('silences.added')}
      onClose={onClose}
    >
      {(form) => (
        <>
          <Matching form={form} cluster={cluster} exact={exactOf(form.values)} />
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
        </>
      )}
    </FormDialog>
  )
}

interface FieldProps {
  readonly form: Form<SilenceValues>
  readonly cluster: ClusterRecord
  /** The node, where its host name is not all that is known of it. */
  readonly exact: number | undefined
}

/** What an alert must have to be silent. */
function Matching({ form, cluster, exact }: FieldProps) {
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
        <DeviceField form={form} cluster={cluster} exact={exact} />
      </div>
      <TextField form={form} name="subject" label={t('silences.subject')} help={t('silences.subject.help')} />
      <FlagField form={form} name="isOnlyHere" label={t('silences.onlyIn', { cluster: cluster.name })} />
    </>
  )
}

/** One of the devices of the node, by its id. Another node has others. */
function DeviceField({ form, cluster, exact }: FieldProps) {
  const { set, values } = form
  const { node, device } = values
  const { data, error } = useQuery(devicesOfHost(cluster.id, node.trim(), exact))
  const isKnown = node.trim() !== '' && (data === undefined || data.some(({ id }) => String(id) === device))
  const isLost = device !== '' && !isKnown
  useEffect(() => {
    if (isLost) set('device', '')
  })
  // Until its name is read, a device that is chosen has its number.
  const unread = device === '' ? [] : [[device, t('silences.deviceId', { id: device })] as const]
  const known = data?.map(
    ({ id, name, serial }) => [String(id), serial === null ? name : `${name} (${serial})`] as const,
  )
  return (
    <SelectField
      form={form}
      name="device"
      label={t('silences.device')}
      help={t('silences.device.help')}
      options={known ?? unread}
      none={t('silences.everyDevice')}
      failure={data === undefined && error !== null ? errorText(error) : undefined}
    />
  )
}

/** Returns the id of the node of a silence; undefined for every node. Host names are not unique: its device says which node it is, or where the silence was asked for. */
async function nodeOf(cluster: number, values: SilenceValues, exact: number | undefined): Promise<number | undefined> {
  const hostname = values.node.trim()
  const device = values.device === '' ? undefined : await rpc.devices.get.query({ id: Number(values.device) })
  if (hostname === '' && device === undefined) return undefined
  const id = device === undefined ? exact : idIn(device.node)
  const filters = { cluster, hostname, ...(id === undefined ? {} : { id }) }
  const { objects, total } = await rpc.nodes.list.query({ filters, limit: 1 })
  const [node] = objects
  if (total > 1) throw new Error(t('silences.severalNodes', { count: total, name: hostname }))
  if (node !== undefined) return node.id
  throw new Error(
    device === undefined
      ? t('silences.noNode', { name: hostname })
      : t('silences.otherNode', { device: device.name, name: hostname }),
  )
}
