/** Signals another process when this one is gone, even after kill -9. */
import { spawn } from 'node:child_process'
import { Socket } from 'node:net'

/** Starts a shell that waits on a pipe and sends the signal when the pipe breaks. A negative pid is a process group. */
export function signalOnExit(pid: number, signal: 'INT' | 'TERM') {
  const shell = spawn('/bin/sh', ['-c', `read _ || kill -s ${signal} -- ${pid}`], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  const { stdin } = shell
  shell.on('error', () => {})
  stdin.on('error', () => {})
  shell.unref()
  // Node implements the pipe as a socket, which would keep this process alive.
  if (stdin instanceof Socket) stdin.unref()
  return { cancel: () => void stdin.end('\n') }
}
