import { globSync } from 'node:fs'

/** The paths of all test files, from the root of the repository. */
export const testFiles = (root: string): string[] =>
  globSync(
    ['server/src', 'server/test', 'sandbox', 'console', 'client', 'chaos'].map(
      (folder) => `${folder}/**/*.test.ts`,
    ),
    { cwd: root, exclude: (name) => name === 'node_modules' || name === 'dist' },
  ).sort()
