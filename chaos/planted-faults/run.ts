// node bin/run.mjs chaos/planted-faults/run.ts [part of a name…]: plants mistakes and checks that the tests fail.
import { faults } from './faults.ts'
import { runFaults, type Outcome } from './plant-all.ts'

const wanted = process.argv.slice(2)
const chosen = faults.filter(({ name }) => wanted.length === 0 || wanted.some((part) => name.includes(part)))
const stopping = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stopping.abort())

if (chosen.length === 0) {
  const names = faults.map(({ name }) => name).join(', ')
  console.error(`No fault matches ${wanted.join(' ')}. There are: ${names}.`)
  process.exitCode = 2
} else {
  const failedBaselines: Outcome[] = []
  const outcomes: Outcome[] = []
  const print = ({ name, passed, details, seconds }: Outcome) =>
    console.error(`${passed ? '✓' : '✗'} ${name} (${seconds.toFixed(1)} s): ${details}`)
  await runFaults(
    chosen,
    {
      baseline: (outcome) => (
        print({ ...outcome, name: `without a fault: ${outcome.name}` }),
        outcome.passed || failedBaselines.push(outcome)
      ),
      fault: (outcome) => (print(outcome), outcomes.push(outcome)),
    },
    stopping.signal,
  )
  console.log(['', '| fault | verdict | seconds | detected by |', '| --- | --- | ---: | --- |'].join('\n'))
  for (const { name, passed, details, seconds } of outcomes)
    console.log(`| ${name} | ${passed ? 'caught' : '**missed**'} | ${seconds.toFixed(1)} | ${details} |`)
  const caught = outcomes.filter(({ passed: passed }) => passed)
  console.log(`\n${caught.length} of ${chosen.length} faults were detected.`)
  for (const { name, details } of failedBaselines) console.log(`Failed without a fault: ${name}: ${details}`)
  process.exitCode = caught.length === chosen.length && failedBaselines.length === 0 ? 0 : 1
}
