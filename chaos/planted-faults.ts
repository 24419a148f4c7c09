// Do the tests fail for mistakes that are planted into a copy of the code?
import { faults } from './planted-faults/faults.ts'
import { runFaults } from './planted-faults/plant-all.ts'
import { runScenario } from './scenario.ts'

await runScenario(import.meta, { loops: faults.length, short: 3 }, async ({ loops, verdict, metric }) => {
  const stopping = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort())
  const chosen = faults.slice(0, loops)
  let caught = 0
  await runFaults(
    chosen,
    {
      baseline: ({ name, passed, details }) =>
        passed || verdict(`${name} passes without a fault`, false, details),
      fault({ name, passed, details }) {
        if (passed) caught++
        verdict(name, passed, details)
      },
    },
    stopping.signal,
  )
  metric('detected', `${caught} of ${chosen.length}`)
})
