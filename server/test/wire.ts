import { connect } from 'node:net'

/** The response to a request that HTTP clients cannot send. */
export interface WireReply {
  status: number
  headers: Headers
  text: string
}

/** Sends the bytes, and reads until the server closes the connection, which the request must demand. */
export function sendRaw(url: string, bytes: string | Buffer): Promise<WireReply> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname)
    const chunks: Buffer[] = []
    socket.on('data', (chunk) => chunks.push(chunk))
    socket.on('error', (error) => (chunks.length > 0 ? resolve(read(chunks)) : reject(error)))
    socket.on('end', () => {
      socket.end()
      resolve(read(chunks))
    })
    socket.write(bytes)
  })
}

function read(chunks: Buffer[]): WireReply {
  const [head = '', ...rest] = Buffer.concat(chunks).toString().split('\r\n\r\n')
  const [line = '', ...fields] = head.split('\r\n')
  const headers = new Headers(
    fields.map((field): [string, string] => {
      const colon = field.indexOf(':')
      return [field.slice(0, colon), field.slice(colon + 1).trim()]
    }),
  )
  return { status: Number(line.split(' ')[1]), headers, text: rest.join('\r\n\r\n') }
}
