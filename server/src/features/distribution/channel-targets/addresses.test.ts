import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { expectProblem, expectStatus } from '#test/expect.ts'
import { addTarget } from '#test/records.ts'
import { shareWorld } from '#test/share-world.ts'

const { owner } = shareWorld({ env: { ALLOW_PRIVATE_ADDRESSES: 'false' } })

const path = '/api/v1/channel-targets'
const withAddress = (base_url: string) => ({ channel_type: 'pms', name: 'Inside', config: { base_url } })

suite('addresses of targets: error', () => {
  const inside = [
    'https://127.0.0.1',
    'https://0x7f.1:8443/pms',
    'https://[::1]/',
    'https://localhost:8443/',
    'https://169.254.169.254/latest/meta-data/',
    'https://10.1.2.3/pms',
    'https://pms/',
    'https://pms.example:25/',
    'http://pms.example/',
  ]
  for (const address of inside)
    test(`a target at ${address} is refused, new or changed`, async () => {
      const refused = [
        await owner.post(path, withAddress(address)),
        await owner.put(`${path}/${(await addTarget(owner)).id}`, withAddress(address)),
      ]
      for (const reply of refused) {
        expectProblem(reply, 422, 'semantic-error', '/config/base_url')
        assert.equal(reply.body.errors[0].code, 'address_refused')
      }
    })

  for (const address of [
    'https://me:pw@pms.example',
    'https://pms.example/v1?key=pw',
    'https://pms.example/#pw',
  ])
    test(`a target at ${address} is refused, and the address not repeated`, async () => {
      const reply = await owner.post(path, withAddress(address))
      expectProblem(reply, 400, 'validation-error', '/config/base_url')
      assert.ok(!reply.text.includes('pw'), reply.text)
    })
})

suite('addresses of targets: happy', () => {
  test('accepts other addresses', async () => {
    const body = { ...withAddress('https://pms.example:8443/v1'), status: 'inactive' }
    const { channel_target } = expectStatus(await owner.post(path, body), 201)
    expectStatus(await owner.put(`${path}/${channel_target.id}`, channel_target), 200)
  })
})
