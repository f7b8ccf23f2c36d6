/** Seconds before the end of a certificate that a person renews in days. Certificates of 90 days are renewed 30 days before. */
export const certificateWarningSeconds = 21 * 86_400

/** Seconds: the timer makes a backup a day. */
export const oldestBackupSeconds = 2 * 86_400

/** Seconds: a control plane that is started again and again, as by systemd, is refused more often. */
export const secondControlPlaneSeconds = 3_600
