import type { Application } from '@tiphys/api';
import { rbacName } from '../applications/applications.ts';
import type { ServerContext } from '../context/server-context.ts';
import { BodyBudget } from '../http/body-budget.ts';
import type { Call } from '../rpc/call.ts';
import { invalidArgument } from '../rpc/rpc-error.ts';
import type { HttpRequest } from '../transport/http-message.ts';

const largestBody = 1024 * 1024;
const budget = new BodyBudget(16 * 1024 * 1024);

/** Refuses who may neither create an application nor update it there; who may neither learns nothing of what exists. */
export async function mayStore(context: ServerContext, call: Call, app: Application): Promise<void> {
  const { applications, namespace } = context;
  const enforcer = await context.enforcer();
  const mayCreate = enforcer.allows(call.identity, 'applications', 'create', rbacName(app, namespace));
  if (!mayCreate) enforcer.enforce(call.identity, 'applications', 'update', rbacName(app, namespace));
  applications.assertNamespace(app.metadata.namespace as string);
}

/** An Application of a request's body, of at most 1 MiB: it has a name, a namespace and a spec with a destination. */
export async function readDraft(request: HttpRequest, { namespace }: ServerContext): Promise<Application> {
  return readApplication(await budget.read(request, largestBody), namespace);
}

function readApplication(bytes: Buffer | undefined, namespace: string): Application {
  if (!bytes) throw invalidArgument(`The body has more than ${largestBody} bytes`);
  const value = parse(bytes);
  const { metadata, spec } = (value ?? {}) as { metadata?: Record<string, unknown>; spec?: unknown };
  if (typeof metadata?.name !== 'string' || typeof spec !== 'object' || spec === null)
    throw invalidArgument('The body is no Application: it needs metadata.name and spec');
  const given = typeof metadata.namespace === 'string' && metadata.namespace !== '' ? metadata.namespace : namespace;
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { ...metadata, name: metadata.name, namespace: given },
    spec: { destination: {}, ...spec },
  } as Application;
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8') || '{}');
  } catch {
    throw invalidArgument('The body is not JSON');
  }
}
