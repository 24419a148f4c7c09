// Do the tests notice mistakes that are planted into a copy of the code?
import { faults } from './planted-faults/faults.ts'
import { plantAll } from './planted-faults/plant-all.ts'
import { scenario } from './scenario.ts'

await scenario(import.meta, { loops: faults.length, short: 3 }, async ({ loops, verdict, figure }) => {
  const stopping = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort())
  const chosen = faults.slice(0, loops)
  let caught = 0
  await plantAll(
    chosen,
    {
      green: ({ name, isRight, found }) =>
        isRight || verdict(`${name} is green without a fault`, false, found),
      fault({ name, isRight, found }) {
        if (isRight) caught++
        verdict(name, isRight, found)
      },
    },
    stopping.signal,
  )
  figure('noticed', `${caught} of ${chosen.length}`)
})
