import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { connectWorkerQueue } from '#resources.ts'
import { startWorkers } from '#workers.ts'
import type { AgentTask, AgentWorld, Step } from '#test/agent-task.ts'
import { agentTasks } from '#test/agent-tasks.ts'
import type { TestCaller } from '#test/caller.ts'
import { assertConforms, operationOf } from '#test/contract-conformance.ts'
import { expectStatus } from '#test/expect.ts'
import { readRows } from '#test/guest-stays.ts'
import { addLinkedUnit, addPmsFault, setPrice, statusOf, until, type LinkedUnit } from '#test/linked-units.ts'
import { inDays } from '#test/local-days.ts'
import { addBooking, addSpace, addUnit } from '#test/records.ts'
import { shareWorld } from '#test/share-world.ts'

type Values = Record<string, unknown>
interface Result {
  isError: boolean | undefined
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  value: any
}
type Agent = (tool: string, values: Values) => Promise<Result>

const { world, owner, stranger } = shareWorld()

/** Clients of the protocol of 2025 open with a handshake, those of 2026 name themselves in every request. */
async function connect(
  caller: Pick<TestCaller, 'token'>,
  mode: 'legacy' | 'auto' = 'auto',
  more: Record<string, string> = {},
): Promise<Client> {
  const client = new Client({ name: 'Desk helper', version: '1.0.0' }, { versionNegotiation: { mode } })
  const requestInit = { headers: { authorization: `Bearer ${caller.token}`, ...more } }
  await client.connect(new StreamableHTTPClientTransport(new URL(`${world.url}/mcp`), { requestInit }))
  world.defer(() => client.close())
  return client
}

const agentOf =
  (client: Client): Agent =>
  async (name, values) => {
    const { isError = false, content } = await client.callTool({ name, arguments: values })
    const [part] = content as { text: string }[]
    try {
      return { isError, value: JSON.parse(part!.text) as unknown }
    } catch {
      return { isError, value: part!.text }
    }
  }

let records: AgentWorld
let linked: LinkedUnit
const agents: Record<string, Agent> = {}

before(async () => {
  const stop = await startWorkers(world.resources, await connectWorkerQueue(world.config))
  linked = await addLinkedUnit(owner)
  await world.settled()
  await addPmsFault(world, linked, { mode: 'refuse', status: 422, calendar: true })
  await setPrice(owner, linked, 25_000)
  await until(
    () => statusOf(owner, linked),
    ({ status }) => status === 'failed',
  )
  await stop(10_000)
  const { sync_failures } = expectStatus(await owner.get('/api/v1/sync/failures'), 200)
  const space = await addSpace(owner, { name: 'Seaside', city: 'Lisbon' })
  const rooms = { space_id: space.id, base_price_cents: 12_000, max_guests: 4 }
  const loft = await addUnit(owner, { name: 'Loft', ...rooms })
  const studio = await addUnit(owner, { name: 'Studio', ...rooms })
  const book = (guestName: string, unitId: string, from: number, to: number) =>
    addBooking(owner, { unitId, guestName, checkIn: inDays(from), checkOut: inDays(to) })
  const ada = await book('Ada', loft.id, 20, 23)
  const bob = await book('Bob', studio.id, 5, 7)
  records = {
    ...{ space: space.id, loft: loft.id, studio: studio.id, ada: ada.id, bob: bob.id },
    ...{ listing: linked.listingId, cause: sync_failures[0].id },
    foreignUnit: (await addUnit(stranger)).id,
    stop: async () => expectStatus(await owner.get('/api/v1/sales-stops'), 200).sales_stops[0].id,
  }
  const people = { owner, viewer: await world.home.as('viewer'), other: await world.home.as('owner') }
  for (const [name, caller] of Object.entries(people)) agents[name] = agentOf(await connect(caller, 'legacy'))
})

const entriesOf = async (): Promise<{ id: string; kind: string; action: string; name: string }[]> =>
  expectStatus(await owner.get('/api/v1/audit?limit=100'), 200).audit_entries

/** The last call of each kind of step; the earlier ones must succeed. */
async function take(agent: Agent, tool: string, values: Values, step?: Step): Promise<Result> {
  const first = await agent(tool, values)
  if (step === undefined || step === 'preview' || first.isError) return first
  const { confirmation } = first.value as { confirmation: string }
  assert.ok(confirmation)
  const [until_, signature] = confirmation.split('.')
  switch (step) {
    case 'confirm':
      return await agent(tool, { ...values, confirmation })
    case 'confirm twice': {
      const done = await agent(tool, { ...values, confirmation })
      assert.equal(done.isError, false)
      assert.deepEqual(await agent(tool, { ...values, confirmation }), done)
      return done
    }
    case 'confirm other arguments':
      return await agent(tool, { ...values, reason: 'host', confirmation })
    case 'confirm as another person':
      return await agents['other']!(tool, { ...values, confirmation })
    case 'confirm with an invented confirmation':
      return await agent(tool, { ...values, confirmation: `${until_}.${signature!.toUpperCase()}` })
    case 'confirm another tool': {
      const { value } = await agent('retry_failed_pushes', { cause_id: records.cause })
      return await agent(tool, { ...values, confirmation: value.confirmation ?? confirmation.slice(1) })
    }
    case 'confirm after a change':
      expectStatus(
        await owner.patch(`/api/v1/bookings/${records.ada}`, { notes: 'Called', checkOut: inDays(23) }),
        200,
      )
      return await agent(tool, { ...values, confirmation })
  }
}

async function run({ calls, role, effects = [], isRejected = false }: AgentTask): Promise<void> {
  const agent = agents[role ?? 'owner']!
  const seen = new Set((await entriesOf()).map(({ id }) => id))
  const rowsBefore = effects.length === 0 ? await readRows(world) : []
  const { status: statusBefore } = await statusOf(owner, linked)
  let last: Result | undefined
  for (const [tool, values, step] of calls) {
    assert.ok(!last?.isError, JSON.stringify(last?.value))
    last = await take(agent, tool, typeof values === 'function' ? await values(records) : values, step)
  }
  assert.equal(last!.isError, isRejected, JSON.stringify(last!.value))
  const { status: statusAfter } = await statusOf(owner, linked)
  const written = (await entriesOf())
    .filter(({ id }) => !seen.has(id))
    .map(({ kind, action, name }) => `${kind} ${action} ${name}`)
  const retried = statusBefore === 'failed' && statusAfter !== 'failed' ? ['pushes retried'] : []
  assert.deepEqual([...written, ...retried], effects)
  if (effects.length === 0) assert.deepEqual(await readRows(world), rowsBefore)
}

suite('agents', () => {
  for (const task of agentTasks) test(task.asked, () => run(task))

  test('at most 20 tools, each with its kind', async () => {
    const { tools } = await (await connect(owner)).listTools()
    assert.ok(tools.length <= 20)
    for (const { name, annotations, inputSchema } of tools) {
      assert.equal(typeof annotations?.readOnlyHint, 'boolean', name)
      const isConfirmed = 'confirmation' in (inputSchema.properties ?? {})
      assert.equal(isConfirmed, !annotations?.readOnlyHint, name)
      if (isConfirmed) assert.equal(typeof annotations?.destructiveHint, 'boolean', name)
    }
    assert.deepEqual(
      tools.map(({ name }) => name).sort(),
      [...new Set(agentTasks.flatMap(({ calls }) => calls.map(([tool]) => tool)))].sort(),
    )
  })

  test('the history names the agent and the person', async () => {
    const agent = agentOf(await connect(owner))
    const values = { unit_ids: [records.loft], from: inDays(120), to: inDays(120), price_cents: 8_000 }
    const { isError } = await take(agent, 'change_calendar', values, 'confirm')
    assert.equal(isError, false)
    const { audit_entries } = expectStatus(await owner.get('/api/v1/audit?limit=1'), 200)
    assert.equal(audit_entries[0].actor.name, 'Desk helper for Home owner')
  })

  test('a booking is of the plan whose price it has', async () => {
    const unit = await addUnit(owner, { base_price_cents: 10_000 })
    const { rate_plan: plan } = expectStatus(
      await owner.post('/api/v1/rate-plans', { unit_id: unit.id, name: 'Not refundable' }),
      201,
    )
    const night = { date_from: inDays(30), date_to: inDays(30), price_cents: 8_000 }
    const values = [{ unit_id: unit.id, rate_plan_id: plan.id, ...night }]
    expectStatus(await owner.post('/api/v1/calendar', { values }), 201)
    const stay = { unit_id: unit.id, check_in: inDays(30), check_out: inDays(31), guests: 1 }
    const { value } = await take(
      agents['owner']!,
      'create_booking',
      { ...stay, guest_name: 'Dan' },
      'confirm',
    )
    const { booking } = value.done
    assert.deepEqual([booking.totalCents, booking.ratePlanId], [8_000, plan.id])
  })

  test('act for the organization that the request names', async () => {
    const { id } = world.home
    const token = await world.issuer.sign({ sub: 'ana', org_id: [world.away.id, id], role: 'owner' })
    const agent = agentOf(await connect({ token }, 'auto', { 'x-organization': id }))
    const { isError, value } = await agent('get_unit', { unit_id: records.loft })
    assert.deepEqual([isError, value.unit?.name], [false, 'Loft'])
  })

  test('a notification is accepted without a body', async () => {
    const answer = await owner.post('/mcp', { jsonrpc: '2.0', method: 'notifications/initialized' })
    assert.equal(answer.status, 202)
    assertConforms(operationOf('POST', '/mcp'), answer)
  })

  test('without a token: 401 that names the identity provider', async () => {
    const answer = await world.caller(null).post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/list' })
    assert.equal(answer.status, 401)
    const challenge = answer.headers.get('www-authenticate')!
    const metadata = /resource_metadata="([^"]+)"/.exec(challenge)![1]!
    const { pathname } = new URL(metadata)
    assert.deepEqual((await world.caller(null).get(pathname)).body.authorization_servers, [
      world.issuer.issuer,
    ])
  })
})
