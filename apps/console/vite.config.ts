import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { screens } from './src/shell/screens.js'
import { listPackages, listScreens, precompress } from './vite-plugins.js'

/** What changes only with a dependency is one file, which stays in the browser's cache when the console changes. */
const vendor =
  /node_modules[\\/](?:\.pnpm[\\/][^\\/]+[\\/]node_modules[\\/])?(?:react|react-dom|scheduler|use-sync-external-store|@tanstack|@trpc)[\\/]|api-types[\\/]dist[\\/]rpc[\\/]/

/** The entry and what every screen needs are one file, too: each request costs a round trip. */
const frame =
  /apps[\\/]console[\\/]src[\\/](?:main|app|routes|search|live|login|api|design|format|shell[\\/](?!palette|account|display-choices|key-help)|state|words[\\/](?!de)|ui[\\/](?!chart|dialog|diff|num))/

/** What most visits begin with, and the charts that it has in common with other screens. */
const overview =
  /node_modules[\\/].*uplot|apps[\\/]console[\\/]src[\\/](?:overview|charts|capacity[\\/]full-text|history[\\/]series|ui[\\/]chart)/

export default defineConfig({
  plugins: [react(), listPackages(), listScreens(screens), precompress()],
  // The control plane serves the console below the path of ROOST_PUBLIC_URL, which the build does not know.
  base: './',
  build: {
    outDir: 'dist/site',
    target: 'es2023',
    sourcemap: false,
    // The policy of the page allows no `data:` scripts and styles, and no inline script.
    assetsInlineLimit: 0,
    // All styles are smaller than a request for each screen is slow.
    cssCodeSplit: false,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 600,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'vendor', test: vendor },
            { name: 'frame', test: frame },
            { name: 'overview', test: overview },
          ],
        },
      },
    },
  },
})
