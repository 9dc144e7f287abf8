import { type Client, type Clock, isAlreadyExists, type KubeObject } from '@tiphys/kubernetes';
import { certificatesFor } from '../control/certificates.ts';
import { untilAborted } from '../source/source.ts';
import type { EventBus } from '../spec/event-bus.ts';
import { jsonLog } from '../trace/json-log.ts';
import { admissionServer } from './serve-admission.ts';

const webhookName = 'webhook.argo-events.argoproj.io';
const secretName = 'events-webhook-certs';
const apiVersion = 'argoproj.io/v1alpha1';

export interface WebhookOptions {
  readonly client: Client;
  /** NAMESPACE, SERVICE_NAME (events-webhook), PORT (443), SERVICE_PORT (443), CLUSTER_ROLE_NAME (argo-events-webhook), as upstream's. */
  readonly env: NodeJS.ProcessEnv;
  readonly namespace: string;
  readonly clock: Clock;
  /** Ends the webhook. */
  readonly signal: AbortSignal;
  readonly write: (line: string) => void;
  /** Address that is listened on; all if absent. */
  readonly host?: string;
}

/** Serves the validating webhook of events and registers it with the API server; resolves when the signal aborts. */
export async function runEventsWebhook(options: WebhookOptions): Promise<void> {
  const { client, env, namespace, clock, signal, write, host } = options;
  const log = jsonLog({ write, level: env.LOG_LEVEL || 'info', now: clock.now });
  const service = env.SERVICE_NAME || 'events-webhook';
  const certificates = await certificatesOf(client, { namespace, service, now: clock.now() });
  const server = admissionServer({
    ...certificates,
    log,
    findBus: (of, name) => client.find<EventBus>({ apiVersion, kind: 'EventBus', namespace: of, name }),
  });
  const port = Number(env.PORT || 443);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  try {
    await register(client, { namespace, service, ca: certificates.ca, env });
    log('info', 'Successfully registered webhook', { port });
    await untilAborted(signal);
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

interface Certificates {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

/** Those of the Secret, which all replicas share; made where there is none. */
async function certificatesOf(
  client: Client,
  { namespace, service, now }: { namespace: string; service: string; now: number },
): Promise<Certificates> {
  const ref = { apiVersion: 'v1', kind: 'Secret', namespace, name: secretName };
  const known = await client.find(ref);
  if (known) return decoded(known);
  const made = certificatesFor([`${service}.${namespace}.svc`, `${service}.${namespace}.svc.cluster.local`], now);
  const encoded = (text: string) => Buffer.from(text).toString('base64');
  const data = {
    'server-key.pem': encoded(made.key),
    'server-cert.pem': encoded(made.cert),
    'ca-cert.pem': encoded(made.ca),
  };
  try {
    await client.create({ apiVersion: 'v1', kind: 'Secret', metadata: { namespace, name: secretName }, data });
    return made;
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    return decoded(await client.get(ref));
  }
}

function decoded({ data }: KubeObject): Certificates {
  const text = (key: string) =>
    Buffer.from((data as Record<string, string> | undefined)?.[key] ?? '', 'base64').toString('utf8');
  return { key: text('server-key.pem'), cert: text('server-cert.pem'), ca: text('ca-cert.pem') };
}

async function register(
  client: Client,
  { namespace, service, ca, env }: { namespace: string; service: string; ca: string; env: NodeJS.ProcessEnv },
): Promise<void> {
  const webhooks = [
    {
      name: webhookName,
      rules: [
        {
          apiGroups: ['argoproj.io'],
          apiVersions: ['v1alpha1'],
          operations: ['CREATE', 'UPDATE'],
          resources: ['eventbus', 'eventsources', 'sensors'],
        },
      ],
      sideEffects: 'None',
      // as upstream: objects can be stored while the webhook is away; the controllers check them again
      failurePolicy: 'Ignore',
      admissionReviewVersions: ['v1'],
      clientConfig: {
        caBundle: Buffer.from(ca).toString('base64'),
        service: { namespace, name: service, port: Number(env.SERVICE_PORT || 443) },
      },
    },
  ];
  const ref = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    name: webhookName,
  };
  const live = await client.find(ref);
  if (live) {
    await client.update({ ...live, apiVersion: ref.apiVersion, kind: ref.kind, webhooks } as KubeObject);
    return;
  }
  const role = env.CLUSTER_ROLE_NAME || 'argo-events-webhook';
  const owner = await client.find({ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', name: role });
  await client.create({
    apiVersion: ref.apiVersion,
    kind: ref.kind,
    metadata: { name: webhookName, ...(owner ? { ownerReferences: [ownerReference(owner)] } : {}) },
    webhooks,
  } as KubeObject);
}

/** With the ClusterRole the registration goes, too: nobody would answer the API server any more. */
function ownerReference({ metadata }: KubeObject) {
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    name: metadata.name ?? '',
    uid: metadata.uid ?? '',
  };
}
