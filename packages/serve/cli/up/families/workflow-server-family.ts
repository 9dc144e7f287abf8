import type { Runtime } from '@tiphys/controller';
import { defineDiagnosis, failure } from '@tiphys/diagnosis';
import { type Client, connect } from '@tiphys/kubernetes';
import type { TlsFiles } from '@tiphys/server';
import { localRepository } from '@tiphys/workflow-executor';
import { openPageAccess, startWorkflowServer } from '@tiphys/workflow-server';
import { version } from '../../terminal/version.ts';
import { archiveFile, artifactsFolder, type FamilyContext } from './families.ts';

const certificateMissing = defineDiagnosis(
  'WorkflowServerCertificateMissing',
  "Argo Workflows' API is to be served by TLS, and there is no certificate for it",
);

/** Upstream's port. */
const usualPort = 2746;

/**
 * Starts Argo Workflows' API with upstream's settings of the environment: `ARGO_AUTH_MODE`, `ARGO_MANAGED_NAMESPACE`, `ARGO_NAMESPACE`,
 * `ARGO_TLS_CERTIFICATE_SECRET_NAME`, `ARGO_PORT`. Callers need a token of the cluster in the sandbox too: other users of the machine reach the port.
 */
export async function startWorkflowServerFamily(context: FamilyContext): Promise<Runtime> {
  const { client, env, host, alone } = context;
  const namespace = env.ARGO_NAMESPACE || context.namespace;
  const options = {
    client,
    config: context.config,
    connect: (config: FamilyContext['config']) =>
      connect(config, { caller: { component: 'server', purpose: 'workflows' }, clock: context.clock }),
    namespace,
    managedNamespace: env.ARGO_MANAGED_NAMESPACE || undefined,
    authModes: env.ARGO_AUTH_MODE || 'client',
    host,
    tls: await certificate(client, namespace, env),
    archiveFile: archiveFile(context),
    usualRepository: usualRepository(context),
    clock: context.clock,
    log: context.log,
    version,
    env,
  };
  const port = Number(env.ARGO_PORT || usualPort);
  try {
    return await startWorkflowServer({ ...options, port });
  } catch (error) {
    // several processes on one machine: the first has the usual port; anyone who runs the server alone has to be found there
    if (alone || env.ARGO_PORT || (error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    const server = await startWorkflowServer({ ...options, port: 0 });
    context.log('warn', `Argo Workflows' API is served at ${server.url}, as port ${usualPort} is taken`);
    return server;
  }
}

/**
 * Argo Workflows' API for the pages of the API server. A database that can not be opened leaves the pages without it: they say so, and
 * applications are delivered all the same.
 */
export async function openWorkflowPages(context: FamilyContext): Promise<PageAccess | undefined> {
  const { client, env, clock, log } = context;
  try {
    return await openPageAccess({
      client,
      namespace: env.ARGO_NAMESPACE || context.namespace,
      managedNamespace: env.ARGO_MANAGED_NAMESPACE || undefined,
      archiveFile: archiveFile(context),
      usualRepository: usualRepository(context),
      clock,
      log,
      version,
      env,
    });
  } catch (error) {
    log('warn', 'the pages of workflows are left without the archive and their API', { error: String(error) });
    return undefined;
  }
}

/** That of the sandbox whose pods are processes: their artifacts are kept on this machine. */
function usualRepository(context: FamilyContext): () => object | undefined {
  const folder = artifactsFolder(context);
  return () => (folder ? localRepository(folder) : undefined);
}

type PageAccess = Awaited<ReturnType<typeof openPageAccess>>;

async function certificate(client: Client, namespace: string, env: NodeJS.ProcessEnv): Promise<TlsFiles | undefined> {
  const name = env.ARGO_TLS_CERTIFICATE_SECRET_NAME;
  if (!name && env.ARGO_SECURE !== 'true') return undefined;
  const secret = name ? await client.find({ apiVersion: 'v1', kind: 'Secret', namespace, name }) : undefined;
  const data = (secret?.data ?? {}) as Readonly<Record<string, string>>;
  const text = (key: string) => Buffer.from(data[key] ?? '', 'base64').toString('utf8');
  const found = { cert: text('tls.crt'), key: text('tls.key') };
  if (found.cert && found.key) return found;
  throw failure(certificateMissing, {
    message: name
      ? `the Secret ${namespace}/${name} has no tls.crt and tls.key`
      : 'ARGO_SECURE is true, and no Secret is named',
    place: { field: 'ARGO_TLS_CERTIFICATE_SECRET_NAME' },
    remedies: [
      'Set ARGO_TLS_CERTIFICATE_SECRET_NAME to a Secret of type kubernetes.io/tls',
      'Or set ARGO_SECURE=false where something in front of it speaks TLS',
    ],
  });
}
