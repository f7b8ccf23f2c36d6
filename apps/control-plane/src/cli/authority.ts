import type { Command } from 'commander'
import type { Config } from '../config.js'
import { CommandError } from './terminal/exit-codes.js'
import type { Terminal } from './terminal/terminal.js'

const explanation = `
Agents trust both authorities until the replacement is complete: each receives the new one over its stream, and ca.pem
contains both. The new authority becomes active when every node has received it; remove nodes that will not come back.
Copy the new ca.pem to every client that has a copy of it.`

export function addAuthority(local: Command, config: () => Config, terminal: Terminal): void {
  local
    .command('replace-ca')
    .description('Replace the certificate authority without losing nodes')
    .addHelpText('after', explanation)
    .action(async () => {
      const { asOwnerOf } = await import('./as-owner.js')
      const owner = await asOwnerOf(config(), terminal)
      if (owner !== undefined) return owner.run(['replace-ca'])
      const { dataDir, tls } = config()
      // The library of certificates is slow to load, so that only this command loads it.
      const { beginReplacement, hasAuthority } = await import('../tls/authority.js')
      if (tls.mode !== 'auto' || !hasAuthority(dataDir))
        throw new CommandError(`${dataDir} has no certificate authority of Roost to replace.`)
      const begun = await beginReplacement(dataDir, Date.now())
      terminal.out.write(
        begun
          ? 'Created the new authority. Nodes receive it within a minute, or at the next start; it becomes active when all have it.\n'
          : 'The authority is already being replaced, and some nodes have not received the new one yet. See "roost node list".\n',
      )
    })
}
