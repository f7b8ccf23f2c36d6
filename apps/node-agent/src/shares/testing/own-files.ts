/** The files that Roost writes for the servers of shares, as the documents name them. */
export const exportsFile = '/etc/exports.d/roost.exports'
export const sambaFile = '/etc/samba/roost.d/shares.conf'
