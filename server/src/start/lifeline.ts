// Ends another process when this one is gone, even after a kill -9.
import { spawn } from 'node:child_process'
import { Socket } from 'node:net'

/** A shell waits on a pipe from here and sends the signal when the pipe breaks. A negative number is a group. */
export function tie(pid: number, signal: 'INT' | 'TERM') {
  const shell = spawn('/bin/sh', ['-c', `read _ || kill -s ${signal} -- ${pid}`], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  const { stdin } = shell
  shell.on('error', () => {})
  stdin.on('error', () => {})
  shell.unref()
  // The pipe is a socket underneath; it must not keep this process alive.
  if (stdin instanceof Socket) stdin.unref()
  return { cut: () => void stdin.end('\n') }
}
