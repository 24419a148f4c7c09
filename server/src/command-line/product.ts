/** The product that a command acts on: that of the environment, or the one that runs in VACANCY_HOME. */
import { join } from 'node:path'
import type { Environment } from '#start/environment.ts'
import { describeHome } from '#start/home.ts'
import type { CommandContext } from './command-context.ts'

type HomeContext = Pick<CommandContext, 'env' | 'root'>

export const homeOf = ({ env, root }: HomeContext) =>
  describeHome(env['VACANCY_HOME'] || join(root, '.vacancy'))

export function runningProduct(context: HomeContext) {
  const running = homeOf(context).readRunning()
  if (!running) throw new Error(`Nothing runs in ${homeOf(context).path}: start it with npm start.`)
  const port = context.env['PORT']
  if (port && Number(port) !== running.port) {
    throw new Error(
      `The product in ${homeOf(context).path} serves port ${running.port}, not ${port}: set PORT=${running.port}.`,
    )
  }
  return running
}

export function environmentOf(context: HomeContext): Environment {
  const { env } = context
  if (env['DATABASE_URL']) return env
  const home = homeOf(context)
  const environment = home.readRunning() && home.readEnvironment()
  if (!environment) {
    throw new Error(`Nothing runs in ${home.path}: start it with npm start, or set DATABASE_URL.`)
  }
  return { ...environment, ...env }
}

/** For commands that only need the database, so that other settings may be missing. */
export function databaseUrlOf(context: HomeContext) {
  const env = environmentOf(context)
  return env['DATABASE_OWNER_URL'] || env['DATABASE_DIRECT_URL'] || env['DATABASE_URL'] || ''
}
