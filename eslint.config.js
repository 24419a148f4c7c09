import js from '@eslint/js'
import { defineConfig, globalIgnores } from 'eslint/config'
import typescript from 'typescript-eslint'

/** Faults only; how the text looks is Prettier's business. */
export default defineConfig(
  globalIgnores(['**/node_modules', '**/dist', '.vacancy*', 'client/src/contract']),
  js.configs.recommended,
  {
    files: ['**/*.{ts,tsx}'],
    extends: [typescript.configs.recommendedTypeChecked],
    languageOptions: {
      parserOptions: {
        project: ['./tsconfig.json', './console/tsconfig.json'],
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true },
      ],
      // The runner takes the promise of a test, and nobody waits for it.
      '@typescript-eslint/no-floating-promises': [
        'error',
        { allowForKnownSafeCalls: [{ from: 'package', package: 'node:test', name: ['test', 'suite'] }] },
      ],
      // React ignores what a handler returns, and the handler answers for its own failures.
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: { attributes: false } }],
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allow: ['URL', 'URLSearchParams', 'Error'] },
      ],
      // A function that must return a promise is `async` even when it waits for nothing.
      '@typescript-eslint/require-await': 'off',
      // Our objects are closures: their functions have no `this` that could be lost.
      '@typescript-eslint/unbound-method': 'off',
    },
  },
  {
    // What a server answers is what tests and measurements look at, so it is not typed there.
    files: ['**/*.test.ts', '*/test/**/*.ts', 'bench/*.ts', 'chaos/**/*.ts'],
    rules: {
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
    },
  },
  {
    // A page is looked at until it is as expected: `expect` waits, `assert` does not.
    files: ['console/**/*.test.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector:
            "CallExpression[callee.object.name='assert'] AwaitExpression > CallExpression[callee.property.name=/^(count|innerText|allInnerTexts|textContent|allTextContents|is(Disabled|Enabled|Visible|Hidden|Checked)|inputValue|getAttribute|title)$/]",
          message: 'Use expect(locator), which waits.',
        },
      ],
    },
  },
  {
    files: ['**/*.{js,mjs}'],
    languageOptions: {
      globals: Object.fromEntries(
        ['process', 'console', 'URL', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'].map(
          (name) => [name, 'readonly'],
        ),
      ),
    },
  },
  {
    files: ['server/src/http/docs/docs.js'],
    languageOptions: { globals: { document: 'readonly', fetch: 'readonly', navigator: 'readonly' } },
  },
  {
    files: ['{server,sandbox}/src/**/*.ts', '{server,sandbox}/bin/*.ts', 'bin/*.mjs'],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector: "MemberExpression[property.name='pathname']:has(MetaProperty)",
          message:
            'The path of a URL is encoded, so it names no file in a folder with a space: use import.meta.dirname.',
        },
      ],
    },
  },
  { rules: { eqeqeq: 'error' } },
)
