import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { idIn, openTwoOrganizations, type TwoOrganizations } from './attacks/two-organizations.ts'
import type { TestCaller } from './caller.ts'
import { bodyFor, fillPath, operations } from './operations.ts'
import { until } from './linked-units.ts'

/**
 * Between two organizations: what no reference names. Every reference of every operation is tried in
 * attacks/tenant-sweep.test.ts.
 */

let organizations: TwoOrganizations
before(async () => {
  organizations = await openTwoOrganizations()
})
after(() => organizations[Symbol.asyncDispose]())

suite('the organization of a record', () => {
  for (const operation of operations.filter(({ body }) => body?.properties?.['org_id']))
    test(`${operation.name}: org_id and id cannot be set`, async () => {
      const { here, ours, theirs, world } = organizations
      const { path, body, method } = operation
      const place = path.includes('{') ? fillPath(path, idIn(ours, 'id', path)) : path
      const payload = bodyFor(body!, (name) => idIn(ours, name, path))
      for (const member of [{ org_id: world.away.id }, { id: theirs.get('/api/v1/spaces')! }]) {
        const reply = await here.send(method, place, {
          body: JSON.stringify({ ...payload, ...member }),
          headers: { 'content-type': 'application/json' },
        })
        assert.equal(reply.status, 400, reply.text)
      }
    })
})

suite('streams', () => {
  for (const { path } of operations.filter(({ isStream, method }) => isStream && method === 'GET'))
    test(`GET ${path} tells of our changes only`, async () => {
      const { here, there, ours, theirs, world } = organizations
      const stopping = new AbortController()
      const headers = { authorization: `Bearer ${here.token}` }
      const answer = await fetch(`${world.url}${path}`, { headers, signal: stopping.signal })
      let received = ''
      const listening = (async () => {
        for await (const chunk of answer.body!.pipeThrough(new TextDecoderStream())) received += chunk
      })().catch(() => {})
      const trigger = (caller: TestCaller, known: Map<string, string>) =>
        caller.post('/api/v1/sync/trigger', { channel_listing_id: known.get('/api/v1/channel-listings') })
      await trigger(there, theirs)
      await world.settled()
      await trigger(here, ours)
      await until(
        async () => received,
        (text) => text.includes(ours.get('/api/v1/channel-listings')!),
      )
      stopping.abort()
      await listening
      assert.ok(!received.includes(theirs.get('/api/v1/channel-listings')!), received)
    })
})

test('nothing of the other was changed by all of this', () => organizations.nothingChanged())
