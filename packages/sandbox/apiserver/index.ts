export { ApiServer } from './server/api-server.ts';
export type { AuditOptions } from './server/audit.ts';
export { loadCredentials } from './server/credentials.ts';
export { type Fault, Faults } from './server/faults.ts';
export { signLegacy } from './server/legacy-token.ts';
