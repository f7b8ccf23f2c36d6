import type { GatewayConfig } from '../config.js'
import { sharePath } from '../mounts/desired/share-path.js'
import type { ShareLocations } from './servers/validate-share.js'

/** Returns where the configuration mounts the containers of shares. An operator who mounts them decides about the owner of files. */
export function locationsOf({ mounts, mountDirectory, account }: GatewayConfig): ShareLocations {
  return {
    pathOf: (share) => sharePath(mountDirectory, share),
    account: mounts === 'rclone' ? account : null,
  }
}
