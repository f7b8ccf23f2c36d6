import module from 'check-disk-space'

// Its types declare CommonJS, and Node loads it as an ES module, whose default is the function itself.
const checkDiskSpace = module as unknown as typeof module.default

// In the form of `stat -f -c '%S %b %f %a %c %d'`, which is what the probe reads.
const { size, free } = await checkDiskSpace(process.argv[2] ?? '/')
process.stdout.write(`1 ${size} ${free} ${free} 0 0\n`)
