// Which product a command speaks of: the one that the environment names, or the one that runs in VACANCY_HOME.
import { join } from 'node:path'
import { readConfig } from '#config.ts'
import type { Environment } from '#start/environment.ts'
import { describeHome } from '#start/home.ts'
import type { Surroundings } from './surroundings.ts'

type Where = Pick<Surroundings, 'env' | 'root'>

export const homeOf = ({ env, root }: Where) => describeHome(env['VACANCY_HOME'] || join(root, '.vacancy'))

export function runningIn(where: Where) {
  const running = homeOf(where).readRunning()
  if (!running) throw new Error(`Nothing runs in ${homeOf(where).path}: start it with npm start.`)
  const port = where.env['PORT']
  if (port && Number(port) !== running.port) {
    throw new Error(
      `What runs in ${homeOf(where).path} serves port ${running.port}, not ${port}: set PORT=${running.port}.`,
    )
  }
  return running
}

export function environmentOf(where: Where): Environment {
  const { env } = where
  if (env['DATABASE_URL']) return env
  const home = homeOf(where)
  const environment = home.readRunning() && home.readEnvironment()
  if (!environment) {
    throw new Error(
      `Nothing runs in ${home.path}: start it with npm start, or name a database by DATABASE_URL.`,
    )
  }
  return { ...environment, ...env }
}

/** Commands that only need the database are not held up by what else is not set. */
export function databaseUrlOf(where: Where) {
  const env = environmentOf(where)
  return env['DATABASE_OWNER_URL'] || env['DATABASE_DIRECT_URL'] || env['DATABASE_URL'] || ''
}

export const configOf = (where: Where) => readConfig(environmentOf(where))
