import { User, UserChange, UserInput, userRules, WrittenUser } from '@roost/api-types/rest'
import type { UserService } from '@roost/api-types/rpc'
import type { Resource } from '../http/dialect/resource.js'

export function usersResource(users: UserService): Resource<UserInput, UserChange> {
  return {
    name: 'users',
    description: 'storage accounts of the clusters; removing one keeps what its account holds',
    record: User,
    rules: userRules,
    reads: users,
    create: {
      body: UserInput,
      answer: WrittenUser,
      secrets: ['password'],
      run: (input, caller) => users.create(input, caller),
    },
    change: {
      body: UserChange,
      answer: WrittenUser,
      secrets: ['password'],
      run: (id, change, caller, options) => users.change(id, change, caller, options),
    },
    remove: (id, caller, options) => users.remove(id, caller, options),
  }
}
