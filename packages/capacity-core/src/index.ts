export const bytesPerTb = 1e12
