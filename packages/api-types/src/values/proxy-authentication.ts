/** How a proxy of Swift authenticates its clients. Users of Roost are deployed to `tempauth`. */
export const proxyAuthentications = ['tempauth', 'keystone', 'other'] as const
export type ProxyAuthentication = (typeof proxyAuthentications)[number]

/** What a proxy does, for a sentence about it. */
export const authenticatesWith: Readonly<Record<ProxyAuthentication, string>> = {
  tempauth: 'authenticates with tempauth',
  keystone: 'authenticates with Keystone',
  other: 'authenticates with neither tempauth nor Keystone',
}
