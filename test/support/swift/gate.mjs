// Runs inside the namespaces of a test's machine, as the one way in and out: `gate.mjs SOCKET`. Whoever connects to the socket says in
// one line of JSON what he wants: {"connect":[host,port]} becomes a connection in there; {"knock":[host,port]} asks
// whether somebody listens; {"listen":port,"to":path} makes a port of
// 127.0.0.1 in there, whose connections go to a socket of the test; {"udp":[host,port],"to":path} appends datagrams to a file.
// It ends with its standard input, so that the namespaces end with the test, however that ended.
import { createSocket } from 'node:dgram'
import { appendFileSync } from 'node:fs'
import { connect, createServer, isIPv6 } from 'node:net'

const newline = Buffer.from('\n')

const join = (one, other) => {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ]) {
    from.on('error', () => to.destroy())
    from.on('close', (failed) => failed && to.destroy())
    from.pipe(to)
  }
}

const wishes = {
  connect(client, { connect: [host, port] }) {
    const target = connect({ host, port, allowHalfOpen: true })
    target.once('connect', () => join(client, target))
    target.once('error', () => client.destroy())
    client.once('error', () => target.destroy())
  },
  knock(client, { knock: [host, port] }) {
    const target = connect({ host, port })
    target.once('error', (error) => client.end(`${error.message}\n`))
    target.once('connect', () => {
      target.destroy()
      client.end('ok\n')
    })
  },
  listen(client, { listen: port, to }) {
    const server = createServer({ allowHalfOpen: true }, (inner) =>
      join(inner, connect({ path: to, allowHalfOpen: true })),
    )
    server.once('error', (error) => client.end(`${error.message}\n`))
    server.listen(port, '127.0.0.1', () => client.end('ok\n'))
  },
  udp(client, { udp: [host, port], to }) {
    const socket = createSocket(isIPv6(host) ? 'udp6' : 'udp4', (message) =>
      appendFileSync(to, Buffer.concat([message, newline])),
    )
    socket.once('error', (error) => client.end(`${error.message}\n`))
    socket.bind(port, host, () => client.end('ok\n'))
  },
}

const gate = createServer({ allowHalfOpen: true }, (client) => {
  client.on('error', () => {})
  client.once('data', (chunk) => {
    client.pause()
    const end = chunk.indexOf('\n')
    const wish = JSON.parse(chunk.subarray(0, end).toString())
    client.unshift(chunk.subarray(end + 1))
    const [kind] = Object.keys(wish)
    wishes[kind](client, wish)
  })
})
gate.listen(process.argv[2], () => console.log('ready'))
process.stdin.on('end', () => process.exit(0)).resume()
