// Ends a program on a Node that is too old for it, before it loads anything that such a Node does not understand. This is
// not compiled, because `npm run setup` runs it before anything is installed or built.
const [major, minor] = process.versions.node.split('.').map(Number)
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(
    `Roost needs Node 20.19 or later, and this is Node ${process.versions.node}. Node 24 is recommended.\n`,
  )
  process.exit(1)
}
