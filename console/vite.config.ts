import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

const api = 'http://127.0.0.1:3000'

export default defineConfig({
  plugins: [react()],
  build: {
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            {
              name: 'vendor',
              test: /node_modules.(react|react-dom|scheduler|@tanstack|oidc-client-ts|jwt-decode)/,
            },
          ],
        },
      },
    },
  },
  server: { proxy: { '/api': api, '/console.json': api, '/problems': api } },
})
