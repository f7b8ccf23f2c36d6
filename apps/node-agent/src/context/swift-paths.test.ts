import { describe, expect, it } from 'vitest'
import { type AgentConfig, readConfig } from '../config.js'
import { useWrittenRoot } from '../inventory/testing/written-root.js'
import { openMachine } from '../machine/machine.js'
import { withSwiftPaths } from './swift-paths.js'

const root = useWrittenRoot()
const { write } = root

function paths(more: Partial<AgentConfig> = {}) {
  const config = { ...readConfig({ dataDir: root.path, root: root.path }, {}), ...more }
  const { ringDirectory, reconCacheDirectory } = withSwiftPaths(config, openMachine(root.path))
  return [ringDirectory, reconCacheDirectory]
}

describe('the folders of Swift', () => {
  it('are the defaults of Swift without a configuration', () => {
    expect(paths()).toEqual(['/etc/swift', '/var/cache/swift'])
  })

  it('are those of the storage servers, wherever the setting is', () => {
    write('etc/swift/account-server.conf', '[DEFAULT]\nbind_port = 6202\n')
    write(
      'etc/swift/object-server/1.conf',
      '[DEFAULT]\nswift_dir = /srv/rings/\n[filter:recon]\nrecon_cache_path = /run/recon\n',
    )
    expect(paths()).toEqual(['/srv/rings', '/run/recon'])
  })

  it('are those of a proxy without storage servers', () => {
    write('etc/swift/proxy-server.conf.d/10.conf', '[DEFAULT]\nswift_dir = /srv/rings\n')
    expect(paths()).toEqual(['/srv/rings', '/var/cache/swift'])
  })

  it('are those of the agent where its configuration has them', () => {
    write('etc/swift/object-server.conf', '[DEFAULT]\nrecon_cache_path = /run/recon\n')
    expect(paths({ reconCacheDirectory: '/srv/cache', isReconCacheDirectorySet: true })).toEqual([
      '/etc/swift',
      '/srv/cache',
    ])
  })
})
