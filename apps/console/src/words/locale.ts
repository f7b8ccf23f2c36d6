/** The languages that the console has. */
export const languages = ['en', 'de'] as const
export type Language = (typeof languages)[number]

/** The language of the page, which boot.js has chosen. */
export const language: Language =
  typeof document !== 'undefined' && document.documentElement.lang === 'de' ? 'de' : 'en'

/** How numbers and dates are written. English with the day before the month, and 24 hours. */
export const locale = language === 'de' ? 'de-DE' : 'en-GB'
