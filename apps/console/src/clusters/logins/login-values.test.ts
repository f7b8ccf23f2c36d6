import { describe, expect, it } from 'vitest'
import {
  checkIdentity,
  checkStorage,
  identityInput,
  identityValues,
  storageFields,
  storageInput,
  storageValues,
} from './login-values.js'

const ofNow = {
  cluster: '/api/v1/clusters/1/',
  auth_url: 'https://keystone.example:5000/v3',
  auth_version: 3,
  user: null,
  user_domain: null,
  project: 'shares',
  project_domain: 'Default',
  region: 'RegionOne',
  interface: 'internal',
  application_credential_id: 'abc',
  application_credential_name: null,
  ca: null,
} as const

describe('the form of a storage login', () => {
  it('begins with the login of now, without its key', () => {
    const values = storageValues(ofNow)
    expect(values).toMatchObject({ by: 'credential', application_credential_id: 'abc', key: '', interface: 'internal' })
    expect(Object.keys(checkStorage(values))).toEqual(['key'])
    expect(storageInput({ ...values, key: 'secret' })).toEqual({
      auth_url: 'https://keystone.example:5000/v3',
      application_credential_id: 'abc',
      project: 'shares',
      project_domain: 'Default',
      region: 'RegionOne',
      interface: 'internal',
      key: 'secret',
    })
  })

  it('has the fields that its URL asks for, and sends no others', () => {
    const values = { ...storageValues(ofNow), user: 'shares:gateway', key: 'k' }
    const tempauth = { ...values, auth_url: ' https://swift.example/auth/v1.0 ' }
    expect(storageFields(tempauth)).toEqual(['user'])
    expect(storageInput(tempauth)).toEqual({
      auth_url: 'https://swift.example/auth/v1.0',
      user: 'shares:gateway',
      key: 'k',
    })
    const old = { ...values, auth_url: 'https://keystone.example/v2.0' }
    expect(Object.keys(storageInput(old)).toSorted()).toEqual([
      'auth_url',
      'interface',
      'key',
      'project',
      'region',
      'user',
    ])
    expect(Object.keys(checkStorage({ ...values, by: 'password' }))).toEqual(['user_domain'])
  })
})

describe('the form of an identity service', () => {
  it('has the defaults of the server, and a fault at its field', () => {
    const empty = identityValues(null)
    expect(empty).toMatchObject({ domain: 'roost', role: 'member', reseller_role: 'ResellerAdmin' })
    expect(Object.keys(checkIdentity(empty)).toSorted()).toEqual(['auth_url', 'key'])
    const values = { ...empty, auth_url: 'https://keystone.example:5000/v3', key: 'k' }
    expect(Object.keys(checkIdentity(values))).toEqual(['user'])
    expect(identityInput({ ...values, by: 'credential', user: 'left', application_credential_id: 'abc' })).toEqual({
      auth_url: 'https://keystone.example:5000/v3',
      application_credential_id: 'abc',
      domain: 'roost',
      role: 'member',
      reseller_role: 'ResellerAdmin',
      key: 'k',
    })
  })
})
