declare global {
  interface Window {
    /** What boot.js has found out before the application was loaded. */
    readonly roost?: { readonly base: string; readonly session: Promise<Response> }
  }
}

/** The path below which the control plane is served, such as `/` or `/roost/`. */
export const base = window.roost?.base ?? '/'

/** Returns the path of a resource of the control plane for the browser: `pathOf('trpc')`. */
export function pathOf(path: string): string {
  return base + path.replace(/^\//, '')
}
