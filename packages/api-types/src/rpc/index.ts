export * from './router.js'
export * from './services.js'
export * from './verbs.js'
