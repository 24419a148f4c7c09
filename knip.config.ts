import type { KnipConfig } from 'knip'

/** Dead files, exports and dependencies. Part of `npm run check`. */
const config: KnipConfig = {
  // A type that an exported function names counts as unused, although it documents that function.
  exclude: ['types'],
  workspaces: {
    '.': {
      entry: [
        'bench/*.ts',
        'chaos/*.ts',
        'chaos/planted-faults/run.ts',
        '{bench,chaos}/**/*.test.ts',
        'bin/*.mjs',
        'deploy/*.ts',
      ],
      project: ['{bench,chaos,deploy}/**/*.ts', 'bin/*.mjs'],
      ignoreDependencies: [
        // Benchmarks and chaos use these as the server does, which declares them.
        ...['fastify', 'ioredis', 'undici'],
        // Found by their path or by a name in a file.
        ...[
          '@cyclonedx/cyclonedx-npm',
          '@redocly/cli',
          '@stoplight/spectral-cli',
          '@stoplight/spectral-owasp-ruleset',
          'kubernetes-models',
          '@kubernetes-models/prometheus-operator',
        ],
      ],
    },
    server: {
      entry: [
        'bin/*.ts',
        'src/**/*-{process,thread,worker}.ts',
        'src/**/*.test.ts',
        'test/**/*.test.ts',
        'test/{run,run-group,check,write-*,lint-*,*-reporter}.ts',
        'test/row-types/wrong-rows.ts',
      ],
      project: ['{bin,src,test}/**/*.ts'],
      ignoreDependencies: ['swagger-ui-dist'],
    },
    client: { entry: ['{build,generate}.ts', '**/*.test.ts'], project: ['*.ts', 'src/**/*.ts'] },
    console: { entry: ['{src,test}/**/*.test.{ts,tsx}'], project: ['*.ts', '{src,test}/**/*.{ts,tsx}'] },
    sandbox: { entry: ['bin/*.ts', 'src/**/*.test.ts'], project: ['{bin,src,test}/**/*.ts'] },
  },
  ignoreIssues: {
    // Loaded with `import()` and passed on as a whole.
    'server/src/command-line/sync-actions.ts': ['exports'],
  },
}
export default config
