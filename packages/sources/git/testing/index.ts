export { makeCertificate, type TestCertificate, type TestCertificateOptions } from './certificates.ts';
export { type GitServer, type GitServerBehaviour, startGitServer } from './git-server.ts';
export { type FileContent, TestRepository } from './repository.ts';
