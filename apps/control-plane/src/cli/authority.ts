import type { Command } from 'commander'
import type { Config } from '../config.js'
import { CommandError } from './terminal/exit-codes.js'
import type { Terminal } from './terminal/terminal.js'

const explanation = `
Old and new are trusted together from then on: every agent learns the new one over its stream, and ca.pem holds both.
The new one takes over by itself when every node has been online since; remove a node that will not come back. Give
people and programs that have a copy of ca.pem the new file meanwhile.`

export function addAuthority(local: Command, config: () => Config, terminal: Terminal): void {
  local
    .command('replace-ca')
    .description('Replace the certificate authority by a new one, without locking out a node.')
    .addHelpText('after', explanation)
    .action(async () => {
      const { asOwnerOf } = await import('./as-owner.js')
      const owner = await asOwnerOf(config(), terminal)
      if (owner !== undefined) return owner.run(['replace-ca'])
      const { dataDir, tls } = config()
      // The library of certificates takes a moment to load, which no other command should pay.
      const { beginReplacement, hasAuthority } = await import('../tls/authority.js')
      if (tls.mode !== 'auto' || !hasAuthority(dataDir))
        throw new CommandError(`There is no authority of Roost's own in ${dataDir} to replace.`)
      const begun = await beginReplacement(dataDir, Date.now())
      terminal.out.write(
        begun
          ? 'The new authority is made. Nodes learn of it within a minute, or at the next start; it takes over when all have.\n'
          : 'The authority is being replaced already: some node has not been online since. See "roost node list".\n',
      )
    })
}
