import { type ParsedRequest, parseCertificateRequest, type SigningRequest, signRequest } from '@tiphys/pki';
import { timestamp } from '../machinery/conditions.ts';
import { Controller, type ControllerContext } from '../machinery/controller.ts';

/** The authority that signs: PEM, and its common name. */
export interface SigningAuthority {
  readonly key: string;
  readonly cert: string;
  readonly commonName: string;
}

const NODE_CLIENT = ['digital signature', 'client auth'];
const NODE_SERVING = ['digital signature', 'server auth'];

/** What a request must be for its signer to sign it: the problem, in kube-controller-manager's words. */
const SIGNERS: Readonly<Record<string, (request: ParsedRequest, usages: readonly string[]) => string | undefined>> = {
  'kubernetes.io/kube-apiserver-client': (_, usages) => {
    const other = usages.find((usage) => !['digital signature', 'key encipherment', 'client auth'].includes(usage));
    if (other !== undefined) return `invalid usage for client certificate: ${other}`;
    return usages.includes('client auth') ? undefined : 'missing required usage for client certificate: client auth';
  },
  'kubernetes.io/kube-apiserver-client-kubelet': (request, usages) => {
    if (request.organizations.join() !== 'system:nodes') return 'subject organization is not system:nodes';
    if (request.dnsNames.length) return 'DNS subjectAltNames are not allowed';
    if (request.emailAddresses.length) return 'Email subjectAltNames are not allowed';
    if (request.ipAddresses.length) return 'IP subjectAltNames are not allowed';
    if (request.uris.length) return 'URI subjectAltNames are not allowed';
    return nodeProblem(request, usages, NODE_CLIENT);
  },
  'kubernetes.io/kubelet-serving': (request, usages) => {
    if (request.organizations.join() !== 'system:nodes') return 'subject organization is not system:nodes';
    if (!request.dnsNames.length && !request.ipAddresses.length) return 'DNS or IP subjectAltName is required';
    if (request.emailAddresses.length) return 'Email subjectAltNames are not allowed';
    if (request.uris.length) return 'URI subjectAltNames are not allowed';
    return usageProblem(usages, NODE_SERVING) ?? nameProblem(request);
  },
  'kubernetes.io/legacy-unknown': () => undefined,
};

function nodeProblem(request: ParsedRequest, usages: readonly string[], wanted: readonly string[]): string | undefined {
  return nameProblem(request) ?? usageProblem(usages, wanted);
}

function nameProblem({ commonName }: ParsedRequest): string | undefined {
  return commonName.startsWith('system:node:') ? undefined : 'subject common name does not begin with system:node:';
}

/** The usages that are wanted, with or without key encipherment. */
function usageProblem(usages: readonly string[], wanted: readonly string[]): string | undefined {
  const sorted = (list: readonly string[]) => [...new Set(list)].sort().join();
  const all = [...wanted, 'key encipherment'];
  if ([sorted(wanted), sorted(all)].includes(sorted(usages))) return undefined;
  return `usages did not match [${all.toSorted().join(' ')}]`;
}

/** Signs approved CertificateSigningRequests of Kubernetes' own signers, as kube-controller-manager does. */
export function startCertificateSigners(context: ControllerContext, authority: SigningAuthority): void {
  const controller = new Controller(context, 'certificate-controller');
  const requests = context.stores.of<SigningRequest>('certificates.k8s.io/v1', 'CertificateSigningRequest');
  controller.watch(requests);
  controller.run(async (key) => {
    const request = requests.get('', key.slice(1));
    const is = (wanted: string) =>
      request?.status?.conditions?.some(({ type, status }) => type === wanted && status === 'True') ?? false;
    if (!request || request.status?.certificate || !is('Approved') || is('Denied') || is('Failed')) return undefined;
    const problemOf = SIGNERS[request.spec.signerName ?? ''];
    if (!problemOf) return undefined;
    const parsed = parseCertificateRequest(Buffer.from(request.spec.request ?? '', 'base64').toString());
    const usages = request.spec.usages ?? [];
    const problem = problemOf(parsed, usages);
    const { expirationSeconds } = request.spec;
    const now = controller.clock.now();
    const failed = () => ({
      type: 'Failed',
      status: 'True',
      reason: 'SignerValidationFailure',
      message: problem ?? '',
      lastUpdateTime: timestamp(controller.clock),
    });
    const outcome =
      problem === undefined
        ? { certificate: encode(signRequest(parsed, { usages, expirationSeconds, now, authority })) }
        : { conditions: [...(request.status?.conditions ?? []), failed()] };
    await controller.updateStatus(requests, { ...request, status: { ...request.status, ...outcome } });
    return undefined;
  });
}

function encode(text: string): string {
  return Buffer.from(text).toString('base64');
}
