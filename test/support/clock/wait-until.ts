/** How long a test waits for what comes at once on a quiet machine, in milliseconds: CI runs its files side by side on two slow cores. */
export const waitTimeoutMs = 60_000
