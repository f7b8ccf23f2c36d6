import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openMachine } from '../machine/machine.js'
import { detectNfsServer } from './nfs-server.js'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'roost-nfs-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

function put(path: string, text = ''): void {
  mkdirSync(join(root, dirname(path)), { recursive: true })
  writeFileSync(join(root, path), text)
}

const detect = () => detectNfsServer(openMachine(root))

describe('the NFS server of a gateway', () => {
  it('is none where none is installed', () => {
    expect(detect()).toBeNull()
  })

  it('is the one that is installed', () => {
    put('usr/sbin/rpc.mountd')
    expect(detect()).toBe('kernel')
  })

  it('is the one that runs, where both are installed', () => {
    put('usr/sbin/rpc.mountd')
    put('usr/bin/ganesha.nfsd')
    put('proc/41/comm', 'ganesha.nfsd\n')
    expect(detect()).toBe('ganesha')
  })

  it('is for an operator to say where both are installed; where both run it is refused', () => {
    put('usr/sbin/rpc.mountd')
    put('usr/bin/ganesha.nfsd')
    expect(detect).toThrow(/are both installed here, and neither is running\. Set gateway\.nfs/)
    put('proc/41/comm', 'ganesha.nfsd\n')
    put('proc/42/comm', 'nfsd\n')
    expect(detect).toThrow(/both running on this node, but only one of them can serve clients\. Stop one of them/)
  })
})
