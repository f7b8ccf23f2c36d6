import type { GatewayConfig } from '../config.js'
import { sharePath } from '../mounts/desired/share-path.js'
import type { ShareLocations } from './servers/validate-share.js'

/** Where the configuration puts the containers of shares; an operator who mounts decides who owns what is there. */
export function locationsOf({ mounts, mountDirectory, account }: GatewayConfig): ShareLocations {
  return {
    pathOf: (share) => sharePath(mountDirectory, share),
    account: mounts === 'rclone' ? account : null,
  }
}
