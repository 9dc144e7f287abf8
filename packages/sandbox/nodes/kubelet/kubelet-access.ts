import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import type { Client, KubeObject } from '@tiphys/kubernetes';

/** Why a kubelet does not answer. */
export interface AccessRefusal {
  readonly status: 401 | 403;
  readonly text: string;
}

interface Identity {
  readonly username?: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

interface Review extends KubeObject {
  status?: { authenticated?: boolean; allowed?: boolean; user?: Identity };
}

/** The authority of client certificates, as API servers publish it for those behind them; undefined where one does not. */
export async function clientAuthority(client: Client): Promise<string | undefined> {
  const found = await client.find<KubeObject & { data?: Record<string, string> }>({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    namespace: 'kube-system',
    name: 'extension-apiserver-authentication',
  });
  return found?.data?.['client-ca-file'];
}

/**
 * Who may ask a kubelet, as with `--anonymous-auth=false` and webhook authentication and authorization: the owner of a client
 * certificate of the cluster's authority or of a token, if the API server lets it `nodes/proxy`. What runs commands is a
 * `create`, whatever the method, as a WebSocket begins with GET.
 */
export class KubeletAccess {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  /** Undefined for who may ask. */
  async refusal(request: IncomingMessage, node: string): Promise<AccessRefusal | undefined> {
    const identity = certificateIdentity(request) ?? (await this.#tokenIdentity(request));
    if (!identity?.username) return { status: 401, text: 'Unauthorized' };
    const verb = request.method === 'GET' && request.headers.upgrade === undefined ? 'get' : 'create';
    if (await this.#allowed(identity, verb, node)) return undefined;
    const { username } = identity;
    return { status: 403, text: `Forbidden (user=${username}, verb=${verb}, resource=nodes, subresource(s)=[proxy])` };
  }

  async #tokenIdentity(request: IncomingMessage): Promise<Identity | undefined> {
    const [, token] = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '') ?? [];
    if (!token) return undefined;
    const { status } = await this.#client.create<Review>({
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenReview',
      metadata: { name: '' },
      spec: { token },
    });
    return status?.authenticated ? status.user : undefined;
  }

  async #allowed({ username, ...identity }: Identity, verb: string, name: string): Promise<boolean> {
    const { status } = await this.#client.create<Review>({
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SubjectAccessReview',
      metadata: { name: '' },
      spec: {
        user: username,
        ...identity,
        resourceAttributes: { verb, version: 'v1', resource: 'nodes', subresource: 'proxy', name },
      },
    });
    return status?.allowed === true;
  }
}

function certificateIdentity({ socket }: IncomingMessage): Identity | undefined {
  const secure = socket as TLSSocket;
  if (!secure.authorized) return undefined;
  const { subject } = secure.getPeerCertificate();
  const [username] = [subject?.CN ?? []].flat();
  return username === undefined
    ? undefined
    : { username, groups: [...[subject.O ?? []].flat(), 'system:authenticated'] };
}
