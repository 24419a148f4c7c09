// Loaded into every child: it ends when the process that started it is gone, however that one ended.
process.once('disconnect', () => {
  process.kill(process.pid, 'SIGTERM')
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), 8_000).unref()
})
// A listener alone would keep the child alive after it has closed everything else.
process.channel?.unref()
