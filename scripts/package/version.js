import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'

export const repository = resolve(import.meta.dirname, '../..')

/** The time of every file in the packages, in seconds: that of the commit, so that a commit always builds the same bytes. */
export const sourceEpoch = Number(process.env['SOURCE_DATE_EPOCH'] ?? git('log', '-1', '--format=%ct'))

/** The version of the packages and of the programs in them. `~` sorts before the release, for dpkg and for rpm. */
export const version = process.env['ROOST_PACKAGE_VERSION'] ?? versionOfCommit()

if (!/^\d[\w.+~]*$/.test(version))
  throw new Error(`ROOST_PACKAGE_VERSION=${version} is no version. Write it like 1.2.3 or 1.2.3~dev.1.`)

function versionOfCommit() {
  const { version } = JSON.parse(readFileSync(resolve(repository, 'apps/node-agent/package.json'), 'utf8'))
  if (!version.includes('-')) return version
  const time = new Date(sourceEpoch * 1000).toISOString().replaceAll(/\D/g, '').slice(0, 14)
  const isModified = git('status', '--porcelain') !== ''
  return `${version.replace('-', '~')}.${time}${isModified ? '.modified' : ''}`
}

function git(...args) {
  return execFileSync('git', args, { cwd: repository, encoding: 'utf8' }).trim()
}
