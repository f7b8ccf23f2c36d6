import type { NodeLayout } from './layout.js'
import type { Machine } from './machine.js'

/** Containers of some continuous integrations have no loop devices: the devices are folders there. */
export async function canLoop(machine: Machine): Promise<boolean> {
  return (await machine.run('losetup', ['-f'])).code === 0
}

/** Mounts the disks below `<node>/srv/node`, whose folders exist: filesystems of their own, which the kernel takes back with the mount namespace. */
export async function mountDisks(machine: Machine, nodes: readonly NodeLayout[], scale = 1): Promise<void> {
  const disks = nodes.flatMap((node) => node.devices.map((device) => ({ node: node.name, ...device })))
  const make = { xfs: 'mkfs.xfs -q -i size=512', ext4: 'mkfs.ext4 -q -F' }
  const scripts = disks.map(
    ({ node, name, fsType, sizeMb }) => `truncate -s ${sizeMb * scale}M ${node}-${name}.img
    ${make[fsType]} ${node}-${name}.img
    mount -t ${fsType} -o loop,noatime ${node}-${name}.img ${node}/srv/node/${name}
    chown swift: ${node}/srv/node/${name}`,
  )
  await machine.exec(scripts.join('\n'))
}
