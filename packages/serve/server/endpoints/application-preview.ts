import type { Application } from '@tiphys/api';
import { rbacName } from '../applications/applications.ts';
import type { ServerContext } from '../context/server-context.ts';
import { validateApplication } from '../context/validate.ts';
import { BodyBudget } from '../http/body-budget.ts';
import { maskSecrets } from '../resources/mask-secrets.ts';
import type { Call } from '../rpc/call.ts';
import { invalidArgument } from '../rpc/rpc-error.ts';
import { sensitiveAnnotations } from '../services/application/resources.ts';
import { type OwnRequest, postOwn } from './own-api.ts';

const path = '/api/tiphys/v1/applications/preview';
const largestBody = 1024 * 1024;
const budget = new BodyBudget(16 * 1024 * 1024);
/** Objects whose manifests are told; of more only the names. */
const mostManifests = 500;

/**
 * `POST /api/tiphys/v1/applications/preview` with an Application: the objects that its sources make, without storing it; refused with
 * the same words as when it is created. Needs what creating it needs, `applications, create`, or for one that exists `applications, update`;
 * values of Secrets are hidden. Undefined for other paths.
 */
export function serveApplicationPreview(asked: OwnRequest, context: ServerContext): Promise<void> | undefined {
  if (asked.path !== path) return undefined;
  return postOwn(asked, '/application.ApplicationService/Create', async (call) =>
    preview(context, call, readApplication(await budget.read(asked.request, largestBody), context.namespace)),
  );
}

async function preview(context: ServerContext, call: Call, app: Application) {
  const { applications, backend, namespace } = context;
  const ref = { namespace: app.metadata.namespace as string, name: app.metadata.name as string };
  const enforcer = await context.enforcer();
  const mayCreate = enforcer.allows(call.identity, 'applications', 'create', rbacName(app, namespace));
  // who may change it there may see what the change would make; who may neither learns nothing of what exists
  if (!mayCreate) enforcer.enforce(call.identity, 'applications', 'update', rbacName(app, namespace));
  applications.assertNamespace(ref.namespace);
  const valid = await validateApplication(context, call, app, true);
  const { objects, revisions, sourceType, warnings } = await backend.render(valid, { signal: call.signal });
  const masked = maskSecrets(
    objects.map(({ object }) => object),
    await sensitiveAnnotations(context),
  );
  return {
    sourceType,
    revisions,
    warnings,
    objects: masked.map((object, index) => ({
      group: object.apiVersion.includes('/') ? object.apiVersion.split('/')[0] : '',
      kind: object.kind,
      namespace: object.metadata.namespace ?? '',
      name: object.metadata.name ?? '',
      ...(objects[index]?.origin ? { origin: objects[index].origin } : {}),
      ...(index < mostManifests ? { manifest: object } : {}),
    })),
  };
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
