export { reservePort as freePort } from './reserved-port.js';
