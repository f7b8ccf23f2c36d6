import { writeSync } from 'node:fs'
import { scanAccounts, type ScanLine, type ScanQuestion } from './account-scan.js'

/** The process of a scan: its argument is the question, its output one JSON object a line. */
let waiting = ''

function flush(): void {
  for (let bytes = Buffer.from(waiting); bytes.length > 0;) bytes = bytes.subarray(writeSync(1, bytes))
  waiting = ''
}

function report(line: ScanLine): void {
  waiting += `${JSON.stringify(line)}\n`
  // The results of a device are written before the next device can hang.
  if (waiting.length > 65_536 || 'done' in line) flush()
}

await scanAccounts(JSON.parse(process.argv[2] ?? '') as ScanQuestion, report)
flush()
