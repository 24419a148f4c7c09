import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { addMember, removeMember } from '#features/tenancy/provisioning/members.ts'
import { expectProblem, expectStatus } from '#test/expect.ts'
import { shareWorld } from '#test/share-world.ts'

const { world, owner, stranger } = shareWorld()

suite('list of members', () => {
  test('admins list the members of their organization page by page, and of no other', async () => {
    const { id: orgId } = world.home
    for (const name of ['ana', 'ben', 'eva'])
      await addMember(world.config, { orgId, email: `${name}@list.example`, role: 'staff', name })
    await removeMember(world.config, { orgId, email: 'ben@list.example' })
    const admin = await world.home.as('admin')
    const listed = async (query = '') => expectStatus(await admin.get(`/api/v1/members${query}`), 200)
    const { members } = await listed()
    const ours = members.filter(({ email }: { email: string }) => email.endsWith('@list.example'))
    assert.deepEqual(
      ours.map(({ name, role }: { name: string; role: string }) => [name, role]),
      [
        ['ana', 'staff'],
        ['eva', 'staff'],
      ],
    )
    const first = await listed('?limit=1')
    const second = await listed(`?limit=1&cursor=${first.next_cursor}`)
    assert.deepEqual([...first.members, ...second.members], members.slice(0, 2))
    assert.ok(!JSON.stringify((await stranger.get('/api/v1/members')).body).includes('@list.example'))
    expectProblem(await (await world.home.as('manager')).get('/api/v1/members'), 403, 'forbidden')
    expectStatus(await owner.get('/api/v1/members'), 200)
  })
})
