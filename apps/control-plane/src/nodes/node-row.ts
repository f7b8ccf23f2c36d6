export interface NodeRow {
  readonly id: number
  readonly clusterId: number
  readonly operatorFields: readonly string[]
  readonly inventorySequence: bigint
}
