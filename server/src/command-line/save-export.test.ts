import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { createServer, request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import { promisify } from 'node:util'
import { readManifest } from '#features/operations/organization-export/manifest.ts'
import { addUnit } from '#test/records.ts'
import { runCommand } from '#test/run-command.ts'
import { shareWorld } from '#test/share-world.ts'

const { world, owner } = shareWorld({ workers: true })
const folder = mkdtempSync(join(tmpdir(), 'vacancy-save-export-'))
after(() => rmSync(folder, { recursive: true }))
const save = (name: string, token = owner.token!, url = world.url) =>
  runCommand(['exports', 'save', join(folder, name)], { VACANCY_URL: url, VACANCY_TOKEN: token })

suite('vacancy exports save', () => {
  test('writes the file of an export, which has the checksum that it prints', async () => {
    await addUnit(owner)
    const { code, out, err } = await save('export.tar')
    assert.equal(code, 0, err)
    const [, checksum] = /^Checksum: ([0-9a-f]{64})$/m.exec(out) ?? []
    await promisify(execFile)('tar', ['-xf', join(folder, 'export.tar'), '-C', folder])
    assert.equal((await readManifest(join(folder, 'vacancy-export'))).checksum, checksum)
    assert.equal(statSync(join(folder, 'export.tar')).mode & 0o777, 0o600)
  })

  test('leaves no part of a file when the download breaks off, so that it can be repeated', async () => {
    let breaksOff = true
    const proxy = createServer((request, response) => {
      const { host: _host, ...headers } = request.headers
      const target = httpRequest(
        `${world.url}${request.url}`,
        { method: request.method, headers },
        (answer) => {
          response.writeHead(answer.statusCode!, answer.headers)
          if (breaksOff && request.url!.endsWith('.tar'))
            answer.once('data', (bytes: Buffer) => response.write(bytes, () => response.destroy()))
          else answer.pipe(response)
        },
      )
      request.pipe(target)
    })
    proxy.listen(0, '127.0.0.1')
    await once(proxy, 'listening')
    after(() => proxy.close())
    const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
    const broken = await save('broken.tar', owner.token!, url)
    assert.equal(broken.code, 1)
    assert.match(broken.err, /The download of the file broke off/)
    assert.equal(existsSync(join(folder, 'broken.tar')), false)
    breaksOff = false
    assert.equal((await save('broken.tar', owner.token!, url)).code, 0)
  })

  test('begins no export for a folder that does not exist', async () => {
    const count = async () => (await owner.get('/api/v1/exports')).body.exports.length as number
    const before = await count()
    const { code, err } = await save('missing/export.tar')
    assert.equal(code, 2)
    assert.match(err, /export\.tar cannot be written \(ENOENT\)/)
    assert.equal(await count(), before)
  })

  test('overwrites no file, and is for owners', async () => {
    const again = await save('export.tar')
    assert.equal(again.code, 2)
    assert.match(again.err, /export\.tar exists already: name a new file\./)
    assert.equal((await save('other.tar', (await world.home.as('admin')).token!)).code, 4)
  })
})
