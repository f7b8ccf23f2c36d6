import type { ServerSetup } from '../server-setup.js'
import { readBySamba } from './config.js'
import { sambaSharesFile } from './render.js'
import { readsOurSections, sambaLines, smbConf, withoutOurSections } from './server.js'

export const sambaSetup: ServerSetup = {
  software: 'samba',
  file: sambaSharesFile,
  config: {
    path: smbConf,
    lines: sambaLines,
    reads: readsOurSections,
    without: withoutOurSections,
    async check(text, run) {
      await readBySamba(text, run)
    },
  },
}
