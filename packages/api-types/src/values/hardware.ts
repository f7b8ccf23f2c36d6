/** The schemas of values that the parts of a machine are described with. */
export interface HardwareValues<Name, Text, Count, Bytes, Flag> {
  readonly name: Name
  /** Null where the machine does not report it. */
  readonly text: Text
  /** Null where the machine does not report it. */
  readonly count: Count
  readonly bytes: Bytes
  readonly flag: Flag
}

/** Returns the fields of each part of a machine. The protocol and REST check their values by different schemas. */
export function hardwareParts<Name, Text, Count, Bytes, Flag>(values: HardwareValues<Name, Text, Count, Bytes, Flag>) {
  const { name, text, count, bytes, flag } = values
  return {
    system: { manufacturer: text, model: text, version: text, serial: text, uuid: text, sku: text, is_virtual: flag },
    board: { manufacturer: text, model: text, version: text, serial: text, asset_tag: text },
    bios: { vendor: text, version: text, release_date: text },
    cpu: { manufacturer: text, model: text, sockets: count, physical_cores: count, logical_cores: count },
    memoryModule: {
      bank: text,
      size_bytes: bytes,
      type: text,
      form_factor: text,
      speed_mhz: count,
      manufacturer: text,
      part_number: text,
      serial: text,
    },
    disk: { name, vendor: text, model: text, serial: text, firmware: text, interface: text, kind: text },
    interface: { name, mac: text, speed_mbps: count, duplex: text, mtu: count, is_virtual: flag },
  }
}
