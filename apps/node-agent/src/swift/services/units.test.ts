import { expect, it } from 'vitest'
import { parseUnits, parseUnitsOf } from './units.js'

const block = (id: string, state: string, command: string) => `Id=${id}
ActiveState=${state}
UnitFileState=enabled
NRestarts=2
ExecStart={ path=/usr/bin/swift-object-server ; argv[]=${command} ; ignore_errors=no ; start_time=[n/a] ; pid=0 ; status=0/0 }
`
const shown = [
  block('swift-object@1.service', 'active', '/usr/bin/swift-object-server /etc/swift/object-server/1.conf'),
  block('swift-object@2.service', 'failed', '/usr/bin/swift-object-server /etc/swift/object-server/1.conf'),
  block('swift-object-updater@11.service', 'active', '/usr/bin/swift-object-updater /etc/swift/object-server/11.conf'),
  block('openstack-swift-object.service', 'active', '/usr/bin/swift-object-server /etc/swift/object-server.conf.d/'),
].join('\n')

it('finds the units that run and were started with a file or a folder', () => {
  expect(parseUnitsOf(shown, ['/etc/swift/object-server/1.conf'])).toEqual(['swift-object@1.service'])
  expect(parseUnitsOf(shown, ['/etc/swift/object-server.conf.d'])).toEqual(['openstack-swift-object.service'])
  expect(parseUnitsOf(shown, ['/etc/swift/object-server.conf', '/'])).toEqual([])
  expect(parseUnitsOf('', ['/etc/swift/object-server.conf'])).toEqual([])
})

it('names a unit as its program, without instances', () => {
  expect([...parseUnits(shown)]).toEqual([['object', { isEnabled: true, isActive: true, restarts: 2 }]])
})
