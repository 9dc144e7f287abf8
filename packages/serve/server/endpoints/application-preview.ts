import type { Application } from '@tiphys/api';
import type { ServerContext } from '../context/server-context.ts';
import { validateApplication } from '../context/validate.ts';
import { maskSecrets } from '../resources/mask-secrets.ts';
import type { Call } from '../rpc/call.ts';
import { sensitiveAnnotations } from '../services/application/resources.ts';
import { mayStore, readDraft } from './application-draft.ts';
import { type OwnRequest, postOwn } from './own-api.ts';

const path = '/api/tiphys/v1/applications/preview';
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
    preview(context, call, await readDraft(asked.request, context)),
  );
}

async function preview(context: ServerContext, call: Call, app: Application) {
  const { backend } = context;
  await mayStore(context, call, app);
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
