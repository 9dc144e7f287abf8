import type { KubeObject } from '@tiphys/kubernetes';

/** What is read of a CertificateSigningRequest. */
export interface SigningRequest extends KubeObject {
  spec: {
    /** PEM, base64-encoded. */
    request?: string;
    signerName?: string;
    usages?: string[] | null;
    expirationSeconds?: number;
    username?: string;
  };
  status?: { conditions?: RequestCondition[]; certificate?: string };
}

export interface RequestCondition {
  type: string;
  status: string;
  reason?: string;
  message?: string;
  lastUpdateTime?: string | null;
  lastTransitionTime?: string | null;
}
