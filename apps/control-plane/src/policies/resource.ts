import { StoragePolicy, storagePolicyRules } from '@roost/api-types/rest'
import type { Reads } from '@roost/api-types/rpc'
import type { Resource } from '../http/dialect/resource.js'

export function storagePoliciesResource(reads: Reads<StoragePolicy>): Resource {
  return {
    name: 'storage_policies',
    description: 'storage policies as the rings and swift.conf tell them',
    record: StoragePolicy,
    rules: storagePolicyRules,
    reads,
  }
}
