/** How many calls a server takes in one request. Each counts for the rate of the key. */
export const maxBatchSize = 20
