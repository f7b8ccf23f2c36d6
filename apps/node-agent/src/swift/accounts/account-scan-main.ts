import { writeSync } from 'node:fs'
import { scanAccounts, type ScanLine, type ScanQuestion } from './account-scan.js'

/** The process of a scan: the question is its argument, the answer a JSON object a line. */
let waiting = ''

function flush(): void {
  for (let bytes = Buffer.from(waiting); bytes.length > 0;) bytes = bytes.subarray(writeSync(1, bytes))
  waiting = ''
}

function tell(line: ScanLine): void {
  waiting += `${JSON.stringify(line)}\n`
  // What a device said stays said when the next one hangs.
  if (waiting.length > 65_536 || 'done' in line) flush()
}

await scanAccounts(JSON.parse(process.argv[2] ?? '') as ScanQuestion, tell)
flush()
