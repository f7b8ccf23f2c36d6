export { TestClock } from './test-clock.js'
