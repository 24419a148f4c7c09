// Removes from installed packages what only compilers, debuggers and readers use: two fifths of their size.
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/** TypeScript below node_modules is never run by Node. Licenses stay, whatever they are called. */
const unneeded = /\.(map|[cm]?tsx?)$|^(?!licen[cs]e|notice|copying).*\.md$/i
const headersOfNode = /^node-(linux|darwin)-\w+$/

/** `folder` is a folder `node_modules`. Links lead to the workspaces, which are left alone. */
export function trimPackages(folder) {
  for (const { name } of readdirSync(folder, { withFileTypes: true }))
    if (headersOfNode.test(name))
      for (const part of ['include', 'share'])
        rmSync(join(folder, name, part), { recursive: true, force: true })
  removeBelow(folder)
}

function removeBelow(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) removeBelow(path)
    else if (entry.isFile() && unneeded.test(entry.name)) rmSync(path)
  }
}
