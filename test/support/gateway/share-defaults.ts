/** The defaults of share fields as the contract of the API lists them, repeated here instead of read from the schema. */
export const commonDefaults = {
  access_mode: 'rw',
  enabled: false,
  upload_delay: 0,
  write_retain: true,
  no_apple_doubles: true,
  clients_allowed_list: '',
  cache_size_mb: null,
}

export const nfsDefaults = { root_squash: false, secure: false }

export const cifsDefaults = {
  cifs_browseable: true,
  cifs_create_mask: '0664',
  cifs_directory_mask: '0775',
  cifs_guest_ok: true,
  cifs_valid_users: '',
  cifs_valid_groups: '',
}
