// Runs before the first paint, as a file because the policy allows no inline script. It avoids a flash of the other
// theme, and asks for the session while the rest is being loaded.
// The schemas of the forms must not try to make code at run time, which the policy forbids: zod reads this when they are made.
Object.assign(globalThis, { __zod_globalConfig: { jitless: true } })
const base = new URL('.', document.currentScript.src)
// Browsers resolve it again when a screen changes the address of the page.
const icon = document.querySelector('link[rel=icon]')
icon.href = new URL(icon.href).href
let session
try {
  const { theme, density, language } = JSON.parse(localStorage.getItem('roost.display') ?? '{}')
  const { dataset } = document.documentElement
  if (theme === 'dark' || theme === 'light') dataset.theme = theme
  if (density === 'compact') dataset.density = density
  document.documentElement.lang = language ?? (navigator.language.startsWith('de') ? 'de' : 'en')
} catch {
  // Without storage, or with what another version stored, the console starts as the system says.
} finally {
  session = fetch(new URL('session', base), { headers: { accept: 'application/json' } })
  // The console reports a failure when it asks for the answer.
  session.catch(() => {})
}
window.roost = { base: base.pathname, session }
