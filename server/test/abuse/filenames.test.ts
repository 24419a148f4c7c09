import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { expectProblem, expectStatus } from '../expect.ts'
import { addSpace } from '../records.ts'
import { until } from '../linked-units.ts'
import { filesOf, picture } from '../uploads.ts'
import { shareWorld } from '../share-world.ts'

// The name and the type of an upload are not used and not stored.

const { world, owner } = shareWorld({ workers: true })
let propertyId: string

before(async () => (propertyId = (await addSpace(owner)).id))

const stated = [
  'filename="../../../../etc/cron.d/evil"',
  'filename="..\\\\..\\\\evil.exe"',
  'filename="/etc/passwd"',
  'filename="a.jpg\0.html"',
  'filename="a.svg"',
  'filename=".htaccess"',
  'filename=""',
  `filename="${'a'.repeat(9_000)}.jpg"`,
  "filename*=UTF-8''..%2f..%2fevil",
  'filename="a.jpg"; filename="b.html"',
  'filename="CON"',
]
for (const name of stated)
  for (const type of ['image/jpeg', 'text/html', 'image/svg+xml'])
    test(`${JSON.stringify(name.slice(0, 40))} of ${type} is a JPEG or nothing`, async () => {
      const body = Buffer.concat([
        Buffer.from(
          `--xx\r\ncontent-disposition: form-data; name="file"; ${name}\r\ncontent-type: ${type}\r\n\r\n`,
        ),
        await picture(),
        Buffer.from('\r\n--xx--\r\n'),
      ])
      const reply = await owner.send('POST', `/api/v1/properties/${propertyId}/media`, {
        body: new Uint8Array(body),
        headers: { 'content-type': 'multipart/form-data; boundary=xx' },
      })
      if (reply.status === 200) {
        const { media } = reply.body
        assert.equal(media.content_type, 'image/jpeg')
        assert.match(media.url, /\/media\/[0-9a-f-]{36}\/[\w-]{32}\.jpg$/)
        // But for the keys, which are random: one in ten thousand has such a word in it.
        const text = reply.text.replaceAll(/\/[\w-]{32}\.jpg/g, '')
        assert.doesNotMatch(text, /evil|passwd|htaccess|html|svg|CON/)
        expectStatus(await owner.delete(`/api/v1/media/${media.id}`), 204)
        await world.settled()
      } else expectProblem(reply, 400, reply.body.code)
      const left = await until(
        () => filesOf(world),
        ({ arriving, stored }) => arriving.length + stored.length === 0,
      )
      assert.deepEqual(left, { stored: [], arriving: [] })
    })
