import type { Page } from 'playwright-core'

/** Runs in the page. A control counts as covered where a click at its beginning, which a long text does not lose, would meet something else. */
const find = `(() => {
  const faults = []
  const nameOf = (one) => one.tagName.toLowerCase() + ' ' + (one.getAttribute('aria-label') || one.textContent || one.name || '').trim().slice(0, 40)
  const scrolls = (one) => {
    for (let at = one.parentElement; at; at = at.parentElement)
      if (/auto|scroll/.test(getComputedStyle(at).overflowX) && at.scrollWidth > at.clientWidth + 1) return true
    return false
  }
  const isShown = (one) => one.checkVisibility({ visibilityProperty: true }) && !one.closest('.sr, .skip, [aria-hidden=true], [inert]')
  for (const one of document.querySelectorAll('main :is(h1, h2, h3, p, dt, dd, label, button, a, input, select, textarea)')) {
    const { left, right, width } = one.getBoundingClientRect()
    if (!isShown(one) || width === 0) continue
    if ((left < -1 || right > innerWidth + 1) && !scrolls(one)) faults.push('cut: ' + nameOf(one))
    const { display, overflowY, fontSize } = getComputedStyle(one)
    const isField = one.matches('select, textarea, input:not([type=checkbox], [type=radio])')
    if (width < 1.5 * parseFloat(fontSize) && (isField || one.innerText.length > 2)) faults.push('squeezed: ' + nameOf(one))
    if (isField || display === 'inline' || overflowY !== 'visible') continue
    if (one.scrollHeight > one.clientHeight + 2) faults.push('spilled: ' + nameOf(one))
  }
  for (const one of document.querySelectorAll(':is(main, header) :is(a[href], button:not(:disabled), input, select, textarea)')) {
    if (!isShown(one)) continue
    one.scrollIntoView({ block: 'nearest', inline: 'nearest' })
    const { left, top, width, height } = one.getBoundingClientRect()
    const [x, y] = [left + Math.min(width / 2, 12), top + height / 2]
    if (width <= 1) continue
    const met = document.elementFromPoint(x, y)
    if (met === null || !(one.contains(met) || met.contains(one) || met.closest('label')?.contains(one)))
      faults.push('covered: ' + nameOf(one) + (met === null ? ' is outside of the window' : ' by ' + nameOf(met)))
  }
  return faults
})()`

/** Returns the texts that are cut at the side of the window, that leave their box or have a letter a line, fields without space for a text, and the controls that cannot be scrolled to where they can be clicked. */
export function outOfReach(page: Page): Promise<readonly string[]> {
  return page.evaluate<readonly string[]>(find)
}
