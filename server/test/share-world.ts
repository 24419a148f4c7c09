import { after, before } from 'node:test'
import type { TestCaller } from './caller.ts'
import { openWorld, type World, type WorldOptions } from './world.ts'

/**
 * A world that is opened before the tests of this file or suite and closed after them; until then its members are
 * missing. `stranger` is the owner of another organization.
 */
export function shareWorld(
  options: WorldOptions | (() => WorldOptions) = {},
): Record<'owner' | 'stranger', TestCaller> & { world: World } {
  const [world, owner, stranger] = [{} as World, {} as TestCaller, {} as TestCaller]
  before(async () => {
    Object.assign(world, await openWorld(typeof options === 'function' ? options() : options))
    Object.assign(owner, await world.home.as('owner'))
    Object.assign(stranger, await world.away.as('owner'))
  })
  // Is missing when the world could not be opened.
  after(() => world[Symbol.asyncDispose]?.())
  return { world, owner, stranger }
}
