import { isDeepStrictEqual } from 'node:util';
import { type Attributes, admissionForbidden } from '@tiphys/admission-rules';
import { BadCertificateRequest, parseCertificateRequest, type SigningRequest } from '@tiphys/pki';

/** Who may approve and sign for a signer, and what nobody may ask for (CertificateApproval, -Signing, -SubjectRestriction). */
export function restrictCertificates(attributes: Attributes): void {
  const { resource, operation, subresource, object, old } = attributes;
  if (resource.collection !== 'certificates.k8s.io/certificatesigningrequests') return;
  if (operation === 'CREATE') restrictSubject(attributes, object as SigningRequest);
  if (operation !== 'UPDATE' || !old) return;
  const { signerName = '' } = (old as SigningRequest).spec;
  if (subresource === 'approval') requirePermission(attributes, 'approve', signerName);
  if (subresource === 'status' && !isDeepStrictEqual(object?.status, old.status))
    requirePermission(attributes, 'sign', signerName);
}

function requirePermission(attributes: Attributes, verb: 'approve' | 'sign', signerName: string): void {
  const { server, user } = attributes;
  const question = {
    verb,
    group: 'certificates.k8s.io',
    version: '*',
    resource: 'signers',
    subresource: '',
    namespace: '',
  };
  const names = [signerName, `${signerName.split('/')[0]}/*`];
  if (names.some((name) => server.authorizer.allowedBy(user, { ...question, name }) !== undefined)) return;
  throw admissionForbidden(
    attributes,
    `user not permitted to ${verb} requests with signerName ${JSON.stringify(signerName)}`,
  );
}

function restrictSubject(attributes: Attributes, { spec }: SigningRequest): void {
  if (spec.signerName !== 'kubernetes.io/kube-apiserver-client') return;
  try {
    const { organizations } = parseCertificateRequest(Buffer.from(spec.request ?? '', 'base64').toString());
    if (!organizations.includes('system:masters')) return;
  } catch (error) {
    if (!(error instanceof BadCertificateRequest)) throw error;
    throw admissionForbidden(attributes, `failed to parse CSR: ${error.message}`);
  }
  throw admissionForbidden(attributes, `use of ${spec.signerName} signer with system:masters group is not allowed`);
}
