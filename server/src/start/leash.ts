// Loaded into every child of the supervisor.
import { flushCompileCache } from 'node:module'

const flushAfterMs = 15_000

// It ends when the process that started it is gone, however that one ended.
process.once('disconnect', () => {
  process.kill(process.pid, 'SIGTERM')
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), 8_000).unref()
})
// A listener alone would keep the child alive after it has closed everything else.
process.channel?.unref()

// Node keeps what it compiled only on a proper exit; the next start is to profit after a kill too.
setTimeout(flushCompileCache, flushAfterMs).unref()
