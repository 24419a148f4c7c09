#!/usr/bin/env node
import { resolve } from 'node:path'
import { runCommandLine } from '#command-line/program.ts'

process.exitCode = await runCommandLine(process.argv.slice(2), {
  env: process.env,
  root: resolve(import.meta.dirname, '../..'),
  out: process.stdout,
  complain: process.stderr,
  /** The entrances read their own environment and arguments, as they do without this command. */
  enter: async (entrance, args, environment) => {
    Object.assign(process.env, environment)
    process.argv.splice(2, Infinity, ...args)
    await import(`./${entrance}.ts`)
  },
})
