import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { serveMonitoring } from '#http/monitoring-server.ts'
import { connectWorkerQueue } from '#resources.ts'
import { shareWorld } from '#test/share-world.ts'
import { ping } from './checks.ts'
import { readWorkerHealth } from './health.ts'

const { world } = shareWorld()

async function openMonitoring(ports: readonly number[]) {
  const queue = await connectWorkerQueue(world.config)
  const health = () =>
    readWorkerHealth({ database: () => ping(world.resources.database), queue: queue.responds }, '1.2.3', [
      'sync',
    ])
  const server = await serveMonitoring({
    ports,
    host: '127.0.0.1',
    token: 'scrape-me',
    version: '1.2.3',
    read: async () => {},
    readHealth: health,
    isReady: async () => (await health()).status === 'healthy',
  })
  return { queue, ...server }
}

suite('/health of a worker', () => {
  test('reports its queues, and is unhealthy and not ready when it cannot claim jobs', async () => {
    const { url, queue, close } = await openMonitoring([0])
    try {
      const well = await fetch(`${url}/health`)
      const { timestamp, uptime, ...rest } = (await well.json()) as Record<string, unknown>
      assert.deepEqual(rest, {
        status: 'healthy',
        version: '1.2.3',
        queues: ['sync'],
        checks: { database: 'healthy', queue: 'healthy' },
      })
      assert.ok(Date.parse(timestamp as string) > 0 && (uptime as number) > 0)
      assert.equal((await fetch(`${url}/health/ready`)).status, 200)
      await queue.close(0)
      const { status, checks } = (await (await fetch(`${url}/health`)).json()) as Record<string, unknown>
      assert.deepEqual([status, checks], ['unhealthy', { database: 'healthy', queue: 'unhealthy' }])
      assert.equal((await fetch(`${url}/health/ready`)).status, 503)
    } finally {
      await close()
    }
  })

  test('a second worker uses the next port, and one whose configured port is taken reports it', async () => {
    const first = await openMonitoring([0])
    const taken = Number(new URL(first.url).port)
    // As many workers of one machine as there are taken ports.
    const warnings: string[] = []
    const warn = ({ name }: Error) => void warnings.push(name)
    process.on('warning', warn)
    const second = await openMonitoring([...Array<number>(11).fill(taken), 0])
    try {
      assert.ok(!warnings.includes('MaxListenersExceededWarning'))
      assert.notEqual(second.url, first.url)
      assert.equal((await fetch(`${second.url}/health`)).status, 200)
      await assert.rejects(
        serveMonitoring({
          ...{ ports: [taken], host: '127.0.0.1', token: null, version: '1' },
          read: async () => {},
          readHealth: async () => ({}),
          isReady: async () => true,
        }),
        { code: 'EADDRINUSE' },
      )
    } finally {
      process.off('warning', warn)
      for (const one of [first, second]) {
        await one.close()
        await one.queue.close(0)
      }
    }
  })
})
