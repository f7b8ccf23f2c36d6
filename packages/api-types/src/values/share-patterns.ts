/** What may stand in a share's texts; the API and the gateway's renderers hold to the same. */
export const shareNamePattern = /^[A-Za-z0-9_][A-Za-z0-9._ -]{0,63}$/
/** A backslash at the end would swallow the next line of Samba's configuration. */
export const accountNamePattern = /^[A-Za-z0-9_](?:[A-Za-z0-9._$\\-]{0,62}[A-Za-z0-9._$-])?$/
export const fileMaskPattern = /^[0-7]{3,4}$/
/** Names that Samba gives a meaning of its own, in any case. */
export const reservedShareNames: ReadonlySet<string> = new Set(['global', 'homes', 'printers', 'print$', 'ipc$'])
