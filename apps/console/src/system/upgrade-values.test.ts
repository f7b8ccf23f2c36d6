import { expect, it } from 'vitest'
import { checkUpgrade, newUpgrade, upgradeInput } from './upgrade-values.js'

it('asks for the newest version unless one is named', () => {
  expect(upgradeInput(newUpgrade, 3)).toEqual({ cluster: 3, canary: 1, wave_percent: 10 })
  expect(upgradeInput({ ...newUpgrade, version: ' 0.3.0 ' }, 3)).toMatchObject({ version: '0.3.0' })
})

it('has the rules of the API at each field', () => {
  expect(checkUpgrade(newUpgrade, 3)).toEqual({})
  const faults = checkUpgrade({ version: 'newest', canary: '0', wave_percent: 'ten' }, 3)
  expect(Object.keys(faults).toSorted()).toEqual(['canary', 'version', 'wave_percent'])
  expect(checkUpgrade({ ...newUpgrade, canary: '' }, 3)).toHaveProperty('canary')
  expect(checkUpgrade({ ...newUpgrade, wave_percent: '100' }, 3)).toEqual({})
  expect(checkUpgrade({ ...newUpgrade, wave_percent: '101' }, 3)).toHaveProperty('wave_percent')
})
