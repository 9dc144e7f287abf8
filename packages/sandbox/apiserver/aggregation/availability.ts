import type { ServerContext } from '@tiphys/apimachinery';
import type { ApiService, AvailableCondition } from '@tiphys/kinds';
import type { coreV1, KubeObject } from '@tiphys/kubernetes';
import { addressOf, askRemote, type FrontProxy, RemoteFailure, UnresolvedService } from './remote-server.ts';

export type Verdict = Pick<AvailableCondition, 'status' | 'reason' | 'message'>;

/** How long a server may take to show its discovery. */
const requestTimeout = 5000;

/** Who asks the servers behind this one on its own behalf. */
export const AGGREGATOR = { name: 'system:kube-aggregator', groups: ['system:masters'] };

interface Slice extends KubeObject {
  endpoints?: { conditions?: { ready?: boolean } }[];
  ports?: { name?: string; port?: number }[];
}

/** Whether the server behind an APIService can be asked now; reason and message are kube-aggregator's. */
export async function checkAvailability(
  server: ServerContext,
  apiService: ApiService,
  frontProxy: FrontProxy,
): Promise<Verdict> {
  const refused = serviceProblem(server, apiService);
  if (refused) return { status: 'False', ...refused };
  try {
    await checkDiscovery(server, apiService, frontProxy);
  } catch (error) {
    if (!(error instanceof RemoteFailure || error instanceof UnresolvedService)) throw error;
    return { status: 'False', reason: 'FailedDiscoveryCheck', message: error.message };
  }
  return { status: 'True', reason: 'Passed', message: 'all checks passed' };
}

function serviceProblem({ store }: ServerContext, { spec }: ApiService): Omit<Verdict, 'status'> | undefined {
  const { namespace = '', name = '', port = 443 } = spec.service ?? {};
  const shown = `service/${name} in ${JSON.stringify(namespace)}`;
  const service = store.collection('services').get(`${namespace}/${name}`)?.object;
  if (!service) return { reason: 'ServiceNotFound', message: `${shown} is not present` };
  const { type = 'ClusterIP', ports = [] } = service.spec as coreV1.ServiceSpec;
  if (type !== 'ClusterIP') return undefined;
  const found = ports.find((candidate) => candidate.port === port);
  if (!found) return { reason: 'ServicePortError', message: `${shown} is not listening on port ${port}` };
  const slices = store.collection('discovery.k8s.io/endpointslices');
  const own = slices
    .keys()
    .filter((key) => key.startsWith(`${namespace}/`))
    .map((key) => slices.get(key)?.object as Slice)
    .filter(({ metadata }) => metadata.labels?.['kubernetes.io/service-name'] === name);
  if (!own.length) return { reason: 'EndpointsNotFound', message: `cannot find endpointslices for ${shown}` };
  const portName = found.name ?? '';
  const reached = own.some(
    ({ endpoints = [], ports: served = [] }) =>
      endpoints?.some(({ conditions }) => conditions?.ready !== false) &&
      served?.some((candidate) => (candidate.name ?? '') === portName && candidate.port !== undefined),
  );
  if (reached) return undefined;
  return {
    reason: 'MissingEndpoints',
    message: `endpointslices for ${shown} have no addresses with port name ${JSON.stringify(portName)}`,
  };
}

async function checkDiscovery(server: ServerContext, apiService: ApiService, frontProxy: FrontProxy): Promise<void> {
  const { group = '', version = '' } = apiService.spec;
  const { host, port } = addressOf(server, apiService);
  const path = group ? `/apis/${group}/${version}` : `/api/${version}`;
  const url = `https://${host.includes(':') ? `[${host}]` : host}:${port}${path}`;
  const failing = (why: string) => new RemoteFailure(`failing or missing response from ${url}: ${why}`);
  const signal = AbortSignal.timeout(requestTimeout);
  try {
    const answer = await askRemote(server, apiService, frontProxy, {
      method: 'GET',
      path,
      headers: { 'user-agent': 'Go-http-client/2.0' },
      user: AGGREGATOR,
      signal,
    });
    answer.resume();
    const { statusCode = 0 } = answer;
    if (statusCode < 200 || statusCode >= 300) throw failing(`bad status from ${url}: ${statusCode}`);
  } catch (error) {
    if (!(error instanceof RemoteFailure) || error.message.startsWith('failing or missing')) throw error;
    const why = signal.aborted
      ? 'context deadline exceeded (Client.Timeout exceeded while awaiting headers)'
      : error.message;
    throw failing(`Get ${JSON.stringify(url)}: ${why}`);
  }
}
