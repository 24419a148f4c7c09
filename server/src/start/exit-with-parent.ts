/** Loaded into every child of the supervisor: ends it when its parent is gone, however the parent ended. */
import { flushCompileCache } from 'node:module'

const flushAfterMs = 15_000

process.once('disconnect', () => {
  process.kill(process.pid, 'SIGTERM')
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), 8_000).unref()
})
// Otherwise the listener would keep the child alive after it has closed everything else.
process.channel?.unref()

// Node writes its compile cache on a normal exit only; flushed here, it helps the next start after a kill too.
setTimeout(flushCompileCache, flushAfterMs).unref()
