export * from './router.js'
export * from './services.js'
