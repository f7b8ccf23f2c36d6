import type { Command } from 'commander'
import type { Config } from '../../config.js'
import { CommandError, exitCodes } from '../terminal/exit-codes.js'
import type { Terminal } from '../terminal/terminal.js'

const explanation = `
Checks that the key belongs to the certificate, that it is valid now, covers ROOST_PUBLIC_URL and keeps the authority that
agents trust. Then it replaces ROOST_TLS_CERT and ROOST_TLS_KEY; a running control plane serves it within a minute, without
a restart. As the hook of a renewal:
  certbot renew --deploy-hook 'roost local set-certificate "$RENEWED_LINEAGE/fullchain.pem" "$RENEWED_LINEAGE/privkey.pem"'`

export function addCertificate(local: Command, config: () => Config, { out }: Terminal): void {
  local
    .command('set-certificate <cert> <key>')
    .description('Install a certificate of yours with its key (PEM); a hook for its renewal')
    .option('--force', 'install it although agents do not trust its private authority yet')
    .addHelpText('after', explanation)
    .action(async (cert: string, key: string, { force = false }: { readonly force?: boolean }) => {
      const { tls, dataDir, publicUrl } = config()
      if (tls.mode !== 'files')
        throw new CommandError(
          'Roost serves a certificate of its own. Set ROOST_TLS=files, ROOST_TLS_CERT and ROOST_TLS_KEY first.',
          exitCodes.conflict,
        )
      // The library of certificates is slow to load, so that only this command loads it.
      const { installCertificate } = await import('../../tls/install-certificate.js')
      const options = { from: { cert, key }, to: tls, dataDir, publicUrl, now: Date.now(), force }
      const end = await installCertificate(options)
      out.write(
        `Installed ${cert}, valid until ${end.toISOString()}. A running control plane serves it within a minute.\n`,
      )
    })
}
