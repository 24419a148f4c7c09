import { startChannex } from '../sandbox/src/channex.ts'

/** Channex in a process of its own, until it is told to stop. */
const channex = await startChannex()
process.on('SIGTERM', () => void channex.close().then(() => process.disconnect()))
process.send!({ url: channex.url })
