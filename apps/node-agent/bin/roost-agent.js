#!/usr/bin/env node
import '@roost/runtime/node-version'

// A static import would be loaded before the version is checked.
await import('../dist/main.js')
