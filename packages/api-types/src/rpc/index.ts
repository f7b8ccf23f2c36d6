export * from './router.js'
export * from './services.js'
export * from './utilization-service.js'
export * from './verbs.js'
