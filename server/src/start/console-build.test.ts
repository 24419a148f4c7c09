import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import staticFiles from '@fastify/static'
import Fastify from 'fastify'
import { request } from 'undici'
import { compressResponses } from '#http/response-headers.ts'
import { compressAssets } from './console-build.ts'

const folder = mkdtempSync(join(tmpdir(), 'vacancy-assets-'))
after(() => rmSync(folder, { recursive: true, force: true }))

test('assets are compressed once and served in the encoding that the browser accepts', async () => {
  const script = `console.log(${JSON.stringify('words '.repeat(2_000))})`
  writeFileSync(join(folder, 'app.js'), script)
  writeFileSync(join(folder, 'font.woff2'), 'compressed by itself')
  await compressAssets(folder)
  assert.deepEqual(readdirSync(folder).sort(), ['app.js', 'app.js.br', 'app.js.gz', 'font.woff2'])
  assert.equal(brotliDecompressSync(readFileSync(join(folder, 'app.js.br'))).toString(), script)
  assert.equal(gunzipSync(readFileSync(join(folder, 'app.js.gz'))).toString(), script)

  const app = Fastify()
  await compressResponses(app)
  await app.register(staticFiles, { root: folder, preCompressed: true })
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  try {
    for (const [accepted, encoding, file] of [
      ['gzip, br', 'br', 'app.js.br'],
      ['gzip', 'gzip', 'app.js.gz'],
      ['identity', undefined, 'app.js'],
    ] as const) {
      const { headers, body } = await request(`${url}/app.js`, { headers: { 'accept-encoding': accepted } })
      assert.equal(headers['content-encoding'], encoding)
      assert.match(String(headers['content-type']), /javascript/)
      assert.deepEqual(Buffer.from(await body.arrayBuffer()), readFileSync(join(folder, file)))
    }
  } finally {
    await app.close()
  }
})
