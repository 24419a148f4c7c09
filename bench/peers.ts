// How many requests per processor second does the product answer, beside PostGraphile, Directus and Strapi on the same PostgreSQL?
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { NodeProcess } from '../server/test/node-process.ts'
import { quantile, reportVerdict, startApi, withBenchWorld } from './bench-world.ts'
import { addRecords, type Call } from './ceiling-operations.ts'
import { connections, postgresOf, runSlice, type Slice } from './http-slice.ts'
import { install, peersOf, peerTables, type Fields, type Peer } from './peer-servers.ts'

const rounds = 5
const sliceSeconds = 2.5
const minRatio = 4
const internalToken = 'bench-token'
const rival = 'PostGraphile 5.1.5'

type Server = Pick<Peer, 'list' | 'unit' | 'unitsOf'> & {
  process: NodeProcess
  headers: Record<string, string>
}

await withBenchWorld(async (bench) => {
  await using parts = new AsyncDisposableStack()
  const worker = await bench.startWorker()
  const { unitIds } = await addRecords(bench)
  await worker.kill('SIGTERM')
  await bench.owner.pipelined({ orgId: null }, [{ text: peerTables }])
  const folder = mkdtempSync(join(tmpdir(), 'vacancy-peers-'))
  parts.defer(() => rmSync(folder, { recursive: true, force: true }))

  const product: Server = {
    process: parts.use(await startApi(bench, internalToken)),
    headers: { authorization: `Bearer ${bench.operator.token}`, 'x-internal-token': internalToken },
    list: () => ({ method: 'GET', path: '/api/v1/units?limit=20' }),
    unit: (id) => ({ method: 'GET', path: `/api/v1/units/${id}` }),
    unitsOf: ({ units, unit }) => units ?? [unit],
  }
  const calls: Record<string, (server: Server) => (at: number) => Call> = {
    'list of 20 units': (server) => () => server.list(),
    'one unit': (server) => (at) => server.unit(unitIds[at % unitIds.length]!),
  }
  const [sample] = await read(product, product.list())

  const servers: Record<string, Server> = { 'the product': product }
  const folderOf = (name: string) => join(folder, name.split(' ')[0]!)
  const peers = Object.entries(peersOf(bench, sample!))
  const installs = peers.map(([name, peer]) => install(folderOf(name), peer))
  // None starts while another one is installed.
  await Promise.allSettled(installs)
  for (const [at, [name, peer]] of peers.entries())
    try {
      await installs[at]
      const server = { headers: {}, ...peer, process: parts.use(await peer.start(folderOf(name))) }
      for (const callOf of Object.values(calls))
        await assertEqualRecords(callOf(server)(0), server, callOf(product)(0), product)
      servers[name] = server
    } catch (error) {
      console.log(`${name} is not measured: ${(error as Error).message.split('\n', 6).join(' ')}\n`)
    }
  await bench.refreshStatistics()

  console.log(
    `| request, ${connections} connections | server | req/s | p50 ms | Node µs | PostgreSQL µs | req per processor second | the product's × |\n|---|---|--:|--:|--:|--:|--:|--:|`,
  )
  const ratios = new Map<string, number>()
  for (const [request, callOf] of Object.entries(calls)) {
    const slices = new Map<string, Slice[]>(Object.keys(servers).map((name) => [name, []]))
    for (let round = -1; round < rounds; round++)
      for (const [name, server] of Object.entries(servers)) {
        const slice = await runSlice({
          ...{ process: server.process, headers: server.headers, callAt: callOf(server) },
          ...{ postgres: postgresOf(bench), seconds: sliceSeconds },
        })
        if (round >= 0) slices.get(name)!.push(slice)
      }
    const perProcessorSecond = ({ nodeUs, postgresUs }: Slice) => 1_000_000 / (nodeUs + postgresUs)
    const medianOf = (name: string, figure: (slice: Slice) => number) =>
      quantile(slices.get(name)!.map(figure), 0.5)
    for (const name of slices.keys()) {
      const ratio = medianOf('the product', perProcessorSecond) / medianOf(name, perProcessorSecond)
      ratios.set(`${request}: ${name}`, ratio)
      const figures = [
        ...[medianOf(name, (slice) => slice.perSecond), medianOf(name, (slice) => slice.p50)],
        ...[medianOf(name, (slice) => slice.nodeUs), medianOf(name, (slice) => slice.postgresUs)],
        medianOf(name, perProcessorSecond),
      ].map(Math.round)
      console.log(`| ${[request, name, ...figures, ratio.toFixed(2)].join(' | ')} |`)
    }
  }
  const ratio = ratios.get(`list of 20 units: ${rival}`)
  reportVerdict(
    ratio !== undefined && ratio >= minRatio,
    `${ratio?.toFixed(2) ?? 'not measured'} times the requests per processor second of ${rival} on the list, minimum ${minRatio}`,
  )
})

async function read({ process, headers, unitsOf }: Server, { method, path, body }: Call): Promise<Fields[]> {
  const response = await fetch(process.facts.url + path, {
    method,
    headers: { ...headers, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(text)
  return unitsOf(JSON.parse(text))
}

/** Each record has at least the fields of the product's, with the same values. */
async function assertEqualRecords(call: Call, server: Server, productCall: Call, product: Server) {
  const [found, expected] = [await read(server, call), await read(product, productCall)]
  assert.equal(found.length, expected.length)
  for (const [at, record] of expected.entries())
    assert.deepEqual(comparable(found[at]!, record), comparable(record, record))
}

/** The fields of a model; numbers may come as text, and times in another format. */
function comparable(record: Fields, model: Fields): unknown[] {
  return Object.entries(model).map(([name, of]) => {
    const value = record[name]
    if (name === 'space') return comparable(value as Fields, of as Fields)
    if (typeof of === 'number') return Number(value)
    return name.endsWith('_at') ? Date.parse(value as string) : value
  })
}
