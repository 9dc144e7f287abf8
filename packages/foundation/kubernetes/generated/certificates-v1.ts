/** Made of the recorded OpenAPI by `npm run generate`: io.k8s.api.certificates.v1 as JSON has it. */

import type * as metaV1 from './meta-v1.ts';

export interface CertificateSigningRequest {
  apiVersion?: string;
  kind?: string;
  metadata?: metaV1.ObjectMeta;
  spec?: CertificateSigningRequestSpec;
  status?: CertificateSigningRequestStatus;
}

export interface CertificateSigningRequestCondition {
  lastTransitionTime?: string;
  lastUpdateTime?: string;
  message?: string;
  reason?: string;
  status?: string;
  type?: string;
}

export interface CertificateSigningRequestList {
  apiVersion?: string;
  items?: CertificateSigningRequest[];
  kind?: string;
  metadata?: metaV1.ListMeta;
}

export interface CertificateSigningRequestSpec {
  expirationSeconds?: number;
  extra?: Record<string, string[]>;
  groups?: string[];
  request?: string;
  signerName?: string;
  uid?: string;
  usages?: string[];
  username?: string;
}

export interface CertificateSigningRequestStatus {
  certificate?: string;
  conditions?: CertificateSigningRequestCondition[];
}
