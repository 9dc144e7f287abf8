import { isDeepStrictEqual } from 'node:util';
import type { Application, services } from '@tiphys/api';
import type { ComparedResource } from '@tiphys/engine';
import type { KubeObject } from '@tiphys/kubernetes';
import { rbacName, refOf } from '../../applications/applications.ts';
import { accessApplication } from '../../context/access.ts';
import type { ServerContext } from '../../context/server-context.ts';
import { maskSecrets } from '../../resources/mask-secrets.ts';
import { wasShown } from '../../resources/shown-manifests.ts';
import type { Call } from '../../rpc/call.ts';
import type { ServiceHandlers } from '../../rpc/handlers.ts';
import { invalidArgument, permissionDenied } from '../../rpc/rpc-error.ts';
import { sensitiveAnnotations } from './resources.ts';

type Handlers = ServiceHandlers<typeof services.application>;
interface Asked {
  group?: string | undefined;
  kind?: string | undefined;
  namespace?: string | undefined;
  name?: string | undefined;
}

/**
 * What the API server would make of an application's objects, by dry runs. A manifest that the caller brings is only
 * tried if it is what the source renders, or if the caller may deploy anything of their own (`override`); a Secret is
 * never taken from the caller, and leaves masked on both sides (CVE-2026-42880, CVE-2026-45737).
 */
export function serverSideDiff(context: ServerContext): Pick<Handlers, 'serverSideDiff'> {
  const { backend } = context;
  return {
    async serverSideDiff(request, call) {
      const { app } = await accessApplication(context, call, 'get', { ...request, name: request.appName });
      const [{ resources }, sensitive] = await Promise.all([
        backend.comparison(refOf(app), call.signal),
        sensitiveAnnotations(context),
      ]);
      const targets = (request.targetManifests ?? []).map(parseManifest);
      const asked: readonly Asked[] = request.liveResources ?? [];
      const items = [];
      for (let i = 0; i < Math.max(asked.length, targets.length); i++) {
        const key = asked[i] ?? keyOf(targets[i]);
        const resource = find(resources, key);
        if (!resource?.live && !hasLive(asked[i])) {
          items.push(created(key, targets[i], sensitive));
          continue;
        }
        if (!resource) throw notPart(key, app);
        const desired = await allowedTarget(context, call, app, resource, targets[i], sensitive);
        items.push(itemOf(resource, await sidesOf(context, app, resource, desired, call.signal), sensitive));
      }
      return { items, modified: items.some((item) => item.modified) };
    },
  };
}

function parseManifest(text: string, index: number): KubeObject | undefined {
  if (!text || text === 'null') return undefined;
  try {
    return JSON.parse(text) as KubeObject;
  } catch (error) {
    throw invalidArgument(
      `error unmarshaling target manifest ${index}: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

function keyOf(object: KubeObject | undefined): Asked {
  if (!object?.apiVersion) return {};
  const group = object.apiVersion.includes('/') ? object.apiVersion.split('/')[0] : '';
  return { group, kind: object.kind, namespace: object.metadata?.namespace, name: object.metadata?.name };
}

function find(
  resources: readonly ComparedResource[],
  { group = '', kind = '', namespace = '', name = '' }: Asked,
): ComparedResource | undefined {
  return resources.find(
    ({ key }) => key.group === group && key.kind === kind && key.namespace === namespace && key.name === name,
  );
}

/** Whether the caller knows of a live object, and so asks about one. */
function hasLive(asked: Asked | undefined): boolean {
  const { liveState } = (asked ?? {}) as { liveState?: string };
  return Boolean(liveState) && liveState !== 'null';
}

function notPart({ group = '', kind = '', name = '' }: Asked, app: Application) {
  return permissionDenied(`${group}/${kind} ${name} not found as part of application ${app.metadata.name}`);
}

async function allowedTarget(
  context: ServerContext,
  call: Call,
  app: Application,
  resource: ComparedResource,
  target: KubeObject | undefined,
  sensitive: readonly string[],
): Promise<KubeObject | undefined> {
  if (!target) return undefined;
  const { desired } = resource;
  if (
    desired &&
    (isDeepStrictEqual(target, desired) || isDeepStrictEqual(target, maskSecrets([desired], sensitive)[0]))
  )
    return desired;
  if (resource.key.kind === 'Secret' && resource.key.group === '') return desired;
  if (wasShown(context, app, target)) return target;
  (await context.enforcer()).enforce(call.identity, 'applications', 'override', rbacName(app, context.namespace));
  if (!isDeepStrictEqual(keyOf(target), keyOf(desired ?? resource.live)))
    throw invalidArgument(`the target manifest is not of ${resource.key.kind} ${resource.key.name}`);
  return target;
}

interface Sides {
  readonly live: KubeObject | undefined;
  readonly predicted: KubeObject | undefined;
  readonly modified: boolean;
}

async function sidesOf(
  { backend }: ServerContext,
  app: Application,
  { live, key }: ComparedResource,
  desired: KubeObject | undefined,
  signal: AbortSignal,
): Promise<Sides> {
  if (!desired || !live) return { live, predicted: desired, modified: Boolean(desired) !== Boolean(live) };
  try {
    return await backend.compareByServer(refOf(app), desired, live, signal);
  } catch (error) {
    // what the API server says of an invalid Secret repeats its values
    if (key.group === '' && key.kind === 'Secret') return { live, predicted: desired, modified: true };
    throw error;
  }
}

function itemOf({ key, live: stored, hook }: ComparedResource, sides: Sides, sensitive: readonly string[]) {
  const [target, live] = maskSecrets([bare(sides.predicted), bare(sides.live)] as const, sensitive);
  const text = (object: KubeObject | undefined) => (object ? JSON.stringify(object) : 'null');
  return {
    ...key,
    targetState: text(target),
    liveState: text(live),
    normalizedLiveState: text(live),
    predictedLiveState: text(target),
    resourceVersion: stored?.metadata.resourceVersion ?? '',
    hook,
    modified: sides.modified,
  };
}

/** What does not exist yet is not tried: it is shown as it came. */
function created(
  { group = '', kind = '', namespace = '', name = '' }: Asked,
  target: KubeObject | undefined,
  sensitive: readonly string[],
) {
  const key = { group, kind, namespace, name };
  const resource = {
    key,
    version: '',
    status: 'OutOfSync',
    hook: false,
    requiresPruning: false,
    wave: 0,
    differences: [],
  } as const;
  return itemOf(resource, { live: undefined, predicted: target, modified: target !== undefined }, sensitive);
}

/** What a dry run changes though nothing else did. */
function bare(object: KubeObject | undefined): KubeObject | undefined {
  if (!object) return undefined;
  const {
    managedFields: _managedFields,
    generation: _generation,
    resourceVersion: _version,
    ...metadata
  } = object.metadata;
  return { ...object, metadata };
}
