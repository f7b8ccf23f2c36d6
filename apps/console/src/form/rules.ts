import { checkWithoutEval } from '@roost/api-types/rest'

checkWithoutEval()

export { faultsOf } from '@roost/api-types/rest'
