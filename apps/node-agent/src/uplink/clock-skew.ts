const warnAboveSeconds = 30

/** Says what to do about a clock that is so many seconds ahead of the control plane's; null when the difference is small. */
export function clockRemedy(skewSeconds: number | null): string | null {
  if (skewSeconds === null || Math.abs(skewSeconds) < warnAboveSeconds) return null
  const direction = skewSeconds > 0 ? 'ahead of' : 'behind'
  const seconds = Math.abs(Math.round(skewSeconds))
  return `This machine's clock is ${seconds} s ${direction} the control plane's. Set the clock, preferably with NTP.`
}
