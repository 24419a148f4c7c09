import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, get, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { reservePort } from './reserve-port.ts'
import { findProgram } from './parts.ts'

/** The rules of the configurations of HAProxy in deploy/, run by HAProxy. */

const folder = resolve(import.meta.dirname, '../../deploy')
const haproxy = findProgram('haproxy', process.env)

/** The status of a path that is sent as it is. */
async function statusOf(port: number, path: string): Promise<number> {
  for (;;)
    try {
      const request = get({ host: '127.0.0.1', port, path })
      const [response] = (await once(request, 'response')) as [IncomingMessage]
      response.resume()
      return response.statusCode!
    } catch (error) {
      // HAProxy does not listen yet.
      if ((error as NodeJS.ErrnoException).code !== 'ECONNREFUSED') throw error
      await sleep(20)
    }
}

for (const name of ['haproxy.cfg', 'cells/haproxy.cfg', 'high-availability/haproxy.cfg'])
  test(`deploy/${name} hides the metrics, however the path is written`, async (t) => {
    if (!haproxy) {
      assert.ok(!process.env['CI'], 'CI has HAProxy')
      return t.diagnostic('NOT TESTED: HAProxy is not installed')
    }
    const rule = (await readFile(join(folder, name), 'utf8')).match(
      /^ *http-request deny .*\/metrics.*$/m,
    )![0]
    const server = createServer((_request, response) => response.end()).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const home = await mkdtemp(join(tmpdir(), 'vacancy-haproxy-'))
    const port = await reservePort()
    const configuration = `
defaults
  mode http
  timeout connect 2s
  timeout client 9s
  timeout server 9s
listen web
  bind 127.0.0.1:${port}
${rule}
  server api 127.0.0.1:${(server.address() as AddressInfo).port}
`
    await writeFile(join(home, 'haproxy.cfg'), configuration)
    const proxy = spawn(haproxy, ['-db', '-f', join(home, 'haproxy.cfg')], { stdio: 'ignore' })
    try {
      for (const path of ['/metrics', '/metrics/', '/%6detrics', '/%6Detrics/', '/metrics?x=1'])
        assert.equal(await statusOf(port, path), 403, path)
      for (const path of ['/', '/api/v1/units', '/health'])
        assert.equal(await statusOf(port, path), 200, path)
    } finally {
      proxy.kill('SIGKILL')
      server.closeAllConnections()
      server.close()
      await rm(home, { recursive: true, force: true })
    }
  })
