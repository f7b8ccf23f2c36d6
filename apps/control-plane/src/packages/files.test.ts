import { expect, it } from 'vitest'
import { describeMissing, parsePackageName } from './files.js'
import { agentPackages } from './list.js'

it.each([
  ['roost-agent_1.2.0_amd64.deb', 'roost-agent', '1.2.0', 'amd64', 'deb'],
  ['roost-agent_1.2.0~dev_arm64.deb', 'roost-agent', '1.2.0-dev', 'arm64', 'deb'],
  ['roost-agent-1.2.0~rc1-1.x86_64.rpm', 'roost-agent', '1.2.0-rc1', 'amd64', 'rpm'],
  ['roost-1.2.0-1.aarch64.rpm', 'roost', '1.2.0', 'arm64', 'rpm'],
  ['roost-agent-1.2.0-dev-linux-arm64.tar.gz', 'roost-agent', '1.2.0-dev', 'arm64', 'tar'],
])('reads the name %s', (file, name, version, arch, format) => {
  expect(parsePackageName(file)).toEqual({ file, name, version, arch, format })
})

it.each([
  'roost-agent-packages_1.2.0_all.deb',
  'roost-agent-packages-1.2.0.tar.gz',
  'roost-agent_1.2.0_i386.deb',
  'roost-agent_1.2.0_amd64.deb.sig',
  'SHA256SUMS',
  '../roost-agent_1.2.0_amd64.deb',
  'roost-agent_1/../2_amd64.deb',
])('does not take %s for a package', (file) => {
  expect(parsePackageName(file)).toBeUndefined()
})

it('offers the newest agent that is not newer than the control plane', () => {
  const names = [
    'roost-agent_1.9.0_amd64.deb',
    'roost-agent_1.10.0_amd64.deb',
    'roost-agent_1.10.0_arm64.deb',
    'roost-agent_1.11.0_amd64.deb',
    'roost_1.10.0_amd64.deb',
  ]
  const files = names.flatMap((name) => parsePackageName(name) ?? []).map((name) => ({ ...name, path: name.file }))
  expect(agentPackages(files, '1.10.0').map(({ file }) => file)).toEqual(names.slice(1, 3))
  expect(agentPackages(files, '1.0.0')).toEqual([])
  // A clone makes packages with the time of its commit.
  expect(agentPackages(files, '1.11.0-dev').map(({ file }) => file)).toEqual([names[3]])
})

it('says how to get packages: in a clone by making them, elsewhere by installing or adding them', () => {
  expect(describeMissing('/srv/roost')).toMatch(/ in the clone with: npm run package$/)
  expect(describeMissing(undefined)).toMatch(
    / install the package roost-agent-packages .* with: roost packages add FILE$/,
  )
})
