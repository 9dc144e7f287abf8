export { BadCertificateRequest, type ParsedRequest, parseCertificateRequest } from './certificate-request.ts';
export { type Certificate, issueCertificate } from './issue-certificate.ts';
export { signRequest } from './sign-request.ts';
export type { RequestCondition, SigningRequest } from './signing-request.ts';
