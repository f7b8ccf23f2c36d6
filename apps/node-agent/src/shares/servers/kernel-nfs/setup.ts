import type { ServerSetup } from '../server-setup.js'
import { exportsFile } from './render.js'

export const exportsSetup: ServerSetup = { software: 'nfs_kernel_server', file: exportsFile, config: null }
