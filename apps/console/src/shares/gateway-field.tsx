import type { NodeRecord } from '../api/queries/nodes.js'
import { SelectField } from '../form/fields.js'
import type { Form } from '../form/use-form.js'
import { t } from '../words/text.js'
import type { ShareValues } from './share-values.js'

interface GatewayFieldProps {
  readonly form: Form<ShareValues>
  readonly gateways: readonly NodeRecord[]
}

/** The gateway that serves a share, of those of its cluster. */
export function GatewayField({ form, gateways }: GatewayFieldProps) {
  return (
    <SelectField
      form={form}
      name="node"
      label={t('shares.gateway')}
      help={gateways.length === 0 ? t('shares.noGateway') : undefined}
      options={gateways.map(({ id, hostname, state }) => [
        String(id),
        state === 'online' ? hostname : `${hostname} · ${state}`,
      ])}
      none={t('ui.choose')}
    />
  )
}
