export { loadCredentials } from './access/credentials.ts';
export { signLegacy } from './access/legacy-token.ts';
export { ApiServer } from './api-server.ts';
export type { AuditOptions } from './observe/audit.ts';
export { type Fault, Faults } from './request/faults.ts';
