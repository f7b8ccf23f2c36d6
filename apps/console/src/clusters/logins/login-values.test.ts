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

  it('keeps a credential by its name, with the user that has it', () => {
    const named = { ...ofNow, application_credential_id: null, application_credential_name: 'gateways' }
    const values = { ...storageValues({ ...named, user: 'shares', user_domain: 'Default' }), key: 'secret' }
    expect(values).toMatchObject({ by: 'credential', application_credential_name: 'gateways' })
    expect(storageFields(values)).toEqual(
      expect.arrayContaining(['application_credential_name', 'user', 'user_domain']),
    )
    expect(checkStorage(values)).toEqual({})
    expect(storageInput(values)).toMatchObject({
      application_credential_name: 'gateways',
      user: 'shares',
      user_domain: 'Default',
    })
    const both = { ...values, application_credential_id: 'abc' }
    expect(storageFields(both)).not.toContain('user')
    expect(Object.keys(checkStorage(both))).toEqual(['application_credential_name'])
    const password = storageInput({ ...values, by: 'password' })
    expect(password).not.toHaveProperty('application_credential_name')
  })

  it('has its fault at a credential that was chosen and not given', () => {
    const values = { ...storageValues(ofNow), application_credential_id: ' ', key: 'k' }
    expect(Object.keys(checkStorage(values))).toEqual(['application_credential_id'])
    expect(Object.keys(checkStorage({ ...values, key: '' })).toSorted()).toEqual(['application_credential_id', 'key'])
    expect(checkStorage({ ...values, application_credential_id: 'abc' })).toEqual({})
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
    expect(Object.keys(checkIdentity({ ...values, by: 'credential' }))).toEqual(['application_credential_id'])
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
