#!/usr/bin/env node
import { resolve } from 'node:path'
import { runCommandLine } from '#command-line/program.ts'

// A reader such as `head` may stop early. The exit code is what a shell gives a process that SIGPIPE ended.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(141)
  process.stderr.write(`The output cannot be written (${error.code}).\n`)
  process.exit(1)
})

const exitCode = await runCommandLine(process.argv.slice(2), {
  env: process.env,
  root: resolve(import.meta.dirname, '../..'),
  out: process.stdout,
  err: process.stderr,
  /** The entry points read `process.env` and `process.argv`, as when they are started directly. */
  runEntryPoint: async (name, args, environment) => {
    Object.assign(process.env, environment)
    process.argv.splice(2, Infinity, ...args)
    await import(`./${name}.ts`)
  },
})
// An entry point that could not start has set it to 1.
process.exitCode ||= exitCode
