import type { TestEvent } from 'node:test/reporters'

/** Reporter that writes the path of every test file that came to its end and in which a test ran, one a line. */
export default async function* reportFiles(events: AsyncIterable<TestEvent>) {
  let tests = 0
  for await (const { type, data } of events) {
    if (type !== 'test:pass' && type !== 'test:fail') continue
    if (data.details.type !== 'suite') tests++
    if (data.nesting > 0) continue
    if (tests > 0) yield `${data.name}\n`
    tests = 0
  }
}
