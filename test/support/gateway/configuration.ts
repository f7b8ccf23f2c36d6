const smbConf = `[global]
server role = standalone server
workgroup = LAB
netbios name = LABGW
disable netbios = yes
smb ports = 445
map to guest = Bad User
guest account = nobody
load printers = no
printing = bsd
printcap name = /dev/null
disable spoolss = yes
unix extensions = no
`

// The settings of MDCACHE come by `gateway prepare`.
const ganeshaConf = `NFS_CORE_PARAM {
  Protocols = 3, 4; Mount_Path_Pseudo = true; Enable_NLM = false; Enable_RQUOTA = false; Enable_UDP = false;
  Plugins_Dir = /usr/lib/x86_64-linux-gnu/ganesha;
}
NFSv4 { Graceless = true; RecoveryBackend = fs; Delegations = false; }
EXPORT_DEFAULTS { SecType = sys, none; Transports = TCP; Attr_Expiration_Time = 5; }
LOG { Default_Log_Level = EVENT; Components { EXPORT = INFO; } }
`

/** What the operator of the gateway wrote, before Roost came. */
export const gatewayFiles: readonly (readonly [path: string, text: string])[] = [
  ['etc/samba/smb.conf', smbConf],
  ['etc/ganesha/ganesha.conf', ganeshaConf],
]

/** What the operator added to ganesha.conf, as the documents of 0.1.0 asked. Today `gateway prepare` does. */
export const ganeshaCacheOfFirstRelease = `MDCACHE { LRU_Run_Interval = 1; FD_LWMark_Percent = 0; FD_HWMark_Percent = 1; }
`
