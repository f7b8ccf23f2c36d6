/** What covers the page. */
export type Overlay = 'palette' | 'keys' | null
