export { ApiServer } from './api-server.ts';
export type { AuditOptions } from './observe/audit.ts';
export { loadCredentials } from './access/credentials.ts';
export { type Fault, Faults } from './request/faults.ts';
export { signLegacy } from './access/legacy-token.ts';
