import module from 'check-disk-space'

// Its types declare CommonJS, and Node loads it as an ES module, whose default is the function itself.
const checkDiskSpace = module as unknown as typeof module.default

const { size, free } = await checkDiskSpace(process.argv[2] ?? '/')
process.stdout.write(JSON.stringify({ totalBytes: size, availableBytes: free }))
