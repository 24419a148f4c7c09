import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { startChild } from './child.ts'

const folder = mkdtempSync(join(tmpdir(), 'vacancy-child-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const logPath = join(folder, 'child.log')
/** After one failure; it doubles with each failed start. */
const pauseMs = 200

function start(script: string) {
  const file = join(folder, 'child.mjs')
  writeFileSync(file, script)
  const notices: string[] = []
  const lost = Promise.withResolvers<Error>()
  let noticed = Promise.withResolvers<void>()
  const child = startChild({
    name: 'API',
    file,
    env: process.env,
    logPath,
    maxSemiSpaceMb: 2,
    maxHeapMb: 256,
    notify: (sentence) => {
      notices.push(sentence)
      noticed.resolve()
      noticed = Promise.withResolvers()
    },
    onFailure: lost.resolve,
  })
  return { child, notices, lost: lost.promise, nextNotice: () => noticed.promise }
}

/** Runs the timer of the restart, and waits for a new process. */
async function pidAfter(
  child: { pid: () => number | undefined },
  before: number | undefined,
  tick: () => void,
) {
  await new Promise(setImmediate)
  tick()
  assert.notEqual(child.pid(), before, 'it is not restarted after the pause of a first failure')
}

test('a process that was ready is restarted without a growing pause, however often it is killed', async (context) => {
  const { child, notices, nextNotice } = start(`
    process.send({ ready: true }, () => console.log('served', process.pid))
    setInterval(() => {}, 1000)`)
  await child.ready
  context.mock.timers.enable({ apis: ['setTimeout'] })
  for (let kills = 1; kills <= 8; kills++) {
    const pid = child.pid()!
    const noticed = nextNotice()
    process.kill(pid, 'SIGKILL')
    await noticed
    await pidAfter(child, pid, () => context.mock.timers.tick(pauseMs))
    assert.equal(notices.length, kills)
    await served(child.pid()!)
  }
  context.mock.timers.reset()
  await child.stop(1_000)
})

test('a process that is never ready is not restarted for ever', async () => {
  const { child, lost } = start(`console.error('The port is taken.'); process.exit(1)`)
  assert.match((await lost).message, /fails to start.*\nThe port is taken\./s)
  await assert.rejects(child.ready)
  await child.stop(1_000)
})

/** The line is written once the message is on its way; a few turns of the loop later it has been read here. */
async function served(pid: number) {
  const turn = () => new Promise((resolve) => setImmediate(resolve))
  while (!readFileSync(logPath, 'utf8').includes(`served ${pid}\n`)) await turn()
  for (let turns = 0; turns < 10; turns++) await turn()
}
