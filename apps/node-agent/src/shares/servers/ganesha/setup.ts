import type { ServerSetup } from '../server-setup.js'
import { missingCacheSettings, withCacheSettings } from './cache.js'
import { ganeshaExportsFile } from './render.js'
import { ganeshaConf, ganeshaLines, readsOurExports, withoutOurExports } from './server.js'

export const ganeshaSetup: ServerSetup = {
  software: 'nfs_ganesha',
  file: ganeshaExportsFile,
  config: {
    path: ganeshaConf,
    lines: ganeshaLines,
    reads: readsOurExports,
    without: withoutOurExports,
    missing(text) {
      const settings = missingCacheSettings(text)
      if (settings.length === 0) return undefined
      const sentence = `Sets ${settings.join(' ')} in the block MDCACHE of ${ganeshaConf}, which nfs-ganesha reads when it is restarted.`
      return { sentence, apply: withCacheSettings }
    },
  },
}
