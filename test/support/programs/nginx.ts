import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const program = '/usr/sbin/nginx'

/** False on a machine without Debian's nginx. */
export const hasNginx = existsSync(program)

const startDeadlineMs = 60_000

/** Runs nginx with these lines of its `http` block until `stop`. `port`: one of 127.0.0.1 on which they listen. */
export async function startNginx(http: string, port: number): Promise<{ stop(): Promise<void> }> {
  const dir = await mkdtemp(join(tmpdir(), 'roost-nginx-'))
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${dir}/${name};`,
  )
  // Its workers would not be permitted to enter the folder of root.
  const user = process.getuid?.() === 0 ? 'user root;' : ''
  await writeFile(
    join(dir, 'nginx.conf'),
    `${user} daemon off; pid ${dir}/pid; worker_processes 1; events {} http { access_log off; ${temporary.join(' ')}\n${http}\n}\n`,
  )
  const child = spawn(program, ['-p', dir, '-c', join(dir, 'nginx.conf'), '-e', 'stderr'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let output = ''
  child.stderr.on('data', (chunk) => (output += String(chunk)))
  const ended = once(child, 'close')
  for (const deadline = Date.now() + startDeadlineMs; !(await accepts(port)); await sleep(20))
    if (child.exitCode !== null || Date.now() > deadline) throw new Error(`nginx did not start:\n${output}`)
  return {
    async stop() {
      child.kill('SIGTERM')
      await ended
      await rm(dir, { recursive: true, force: true })
    },
  }
}

function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  return new Promise((resolve) => {
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
  }).finally(() => socket.destroy()) as Promise<boolean>
}
