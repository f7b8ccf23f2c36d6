import { useQuery } from '@tanstack/react-query'
import { rpc } from '../api/client.js'
import { nodeHardware } from '../api/queries/node.js'
import type { inferOutput } from '../api/queries/output.js'
import { bytes, noValue } from '../format/numbers.js'
import { Loaded } from '../state/loaded.js'
import { Card, Facts } from '../ui/card.js'
import { t } from '../words/text.js'

type Hardware = inferOutput<typeof rpc.nodes.hardware.query>

/** What the machine is made of, as its agent reads it once a day. */
export function NodeHardware({ id }: { readonly id: number }) {
  const query = useQuery(nodeHardware(id))
  return <Loaded query={query}>{(hardware) => <Parts hardware={hardware} />}</Loaded>
}

/** The part of a machine as names and values. */
function systemFacts({ system, bios, cpu }: Hardware): readonly (readonly [string, string])[] {
  const values: readonly (readonly [string, string | number | null | undefined])[] = [
    [t('hardware.maker'), system?.manufacturer],
    [t('devices.model'), system?.model],
    [t('devices.serial'), system?.serial],
    ['BIOS', bios?.version],
    [t('node.cpu'), cpu?.model],
    [t('nodes.cores'), cpu?.physical_cores],
  ]
  return values.map(([name, value]) => [name, String(value ?? noValue)])
}

function Parts({ hardware }: { readonly hardware: Hardware }) {
  const { disks, interfaces } = hardware
  return (
    <div className="hardware">
      <Card title={t('hardware.system')}>
        <Facts facts={systemFacts(hardware)} />
      </Card>
      <Card title={t('hardware.disks')}>
        <Facts
          facts={(disks ?? []).map(({ name, model, serial, size_bytes: size }) => [
            name,
            `${model ?? noValue} · ${serial ?? noValue} · ${bytes(size)}`,
          ])}
        />
      </Card>
      <Card title={t('hardware.interfaces')}>
        <Facts
          facts={(interfaces ?? []).map(({ name, mac, speed_mbps: speed }) => [
            name,
            `${mac ?? noValue} · ${speed === null ? noValue : `${speed} Mbit/s`}`,
          ])}
        />
      </Card>
    </div>
  )
}
