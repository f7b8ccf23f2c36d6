import type { GatewayConfig } from '../config.js'
import { sharePath } from '../mounts/share-path.js'
import type { SharePlaces } from './meant-share.js'

/** Where the configuration puts the containers of shares; an operator who mounts decides who owns what is there. */
export function placesOf({ mounts, mountDirectory, account }: GatewayConfig): SharePlaces {
  return {
    pathOf: (share) => sharePath(mountDirectory, share),
    account: mounts === 'rclone' ? account : null,
  }
}
