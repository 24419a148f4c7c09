import { defineConfig } from '@hey-api/openapi-ts'

export default defineConfig({
  input: '../openapi.json',
  output: { path: 'src/contract', entryFile: false },
  plugins: ['@hey-api/typescript'],
})
