/** The timeout of a test, in milliseconds. On an idle machine it waits much less; CI runs its files in parallel on two slow cores. */
export const waitTimeoutMs = 60_000
