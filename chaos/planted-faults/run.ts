// node bin/run.mjs chaos/planted-faults/run.ts [part of a name…]: plants mistakes and sees whether the tests notice.
import { faults } from './faults.ts'
import { plantAll, type Outcome } from './plant-all.ts'

const wanted = process.argv.slice(2)
const chosen = faults.filter(({ name }) => wanted.length === 0 || wanted.some((part) => name.includes(part)))
const stopping = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stopping.abort())

if (chosen.length === 0) {
  const names = faults.map(({ name }) => name).join(', ')
  console.error(`No fault is called like ${wanted.join(' ')}. There are: ${names}.`)
  process.exitCode = 2
} else {
  const reds: Outcome[] = []
  const outcomes: Outcome[] = []
  const tell = ({ name, isRight, found, seconds }: Outcome) =>
    console.error(`${isRight ? '✓' : '✗'} ${name} (${seconds.toFixed(1)} s): ${found}`)
  await plantAll(
    chosen,
    {
      green: (outcome) => (
        tell({ ...outcome, name: `without a fault: ${outcome.name}` }),
        outcome.isRight || reds.push(outcome)
      ),
      fault: (outcome) => (tell(outcome), outcomes.push(outcome)),
    },
    stopping.signal,
  )
  console.log(['', '| fault | verdict | seconds | noticed by |', '| --- | --- | ---: | --- |'].join('\n'))
  for (const { name, isRight, found, seconds } of outcomes)
    console.log(`| ${name} | ${isRight ? 'caught' : '**missed**'} | ${seconds.toFixed(1)} | ${found} |`)
  const caught = outcomes.filter(({ isRight }) => isRight)
  console.log(`\n${caught.length} of ${chosen.length} faults were noticed.`)
  for (const { name, found } of reds) console.log(`Red without any: ${name}: ${found}`)
  process.exitCode = caught.length === chosen.length && reds.length === 0 ? 0 : 1
}
