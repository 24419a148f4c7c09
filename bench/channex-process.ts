import { startChannex } from '../sandbox/src/channex/server.ts'

/** Runs the Channex sandbox until SIGTERM. */
const channex = await startChannex()
process.on('SIGTERM', () => void channex.close().then(() => process.disconnect()))
process.send!({ url: channex.url })
