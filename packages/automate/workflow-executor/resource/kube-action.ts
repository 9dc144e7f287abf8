import {
  type ApiResource,
  type Client,
  isAlreadyExists,
  isNotFound,
  type KubeObject,
  threeWayMergePatch,
} from '@tiphys/kubernetes';
import type { Flags } from './flags.ts';

export interface KubeTask {
  readonly client: Client;
  /** Where objects go that name no namespace. */
  readonly namespace: string;
  readonly flags: Flags;
  readonly signal: AbortSignal;
}

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

/** An object of a resource and its URL below the server. */
interface Target {
  readonly path: string;
  readonly name: string | undefined;
}

/** Does what `kubectl ACTION -f` does with one object, and gives the object as it is afterwards; undefined where there is none. */
export async function act(
  task: KubeTask,
  action: string,
  object: KubeObject | undefined,
): Promise<KubeObject | undefined> {
  const target = await targetOf(task, object);
  switch (action) {
    case 'create':
      return await create(task, target, needed(object));
    case 'apply':
      return task.flags.serverSide
        ? await serverApply(task, target, needed(object))
        : await apply(task, target, needed(object));
    case 'replace':
      return await send(task, 'PUT', target, { body: needed(object) });
    case 'get':
      return await get(task, target);
    case 'delete':
      return await remove(task, target);
    default:
      throw new Error(
        `The action ${action} of the resource template is not known: use get, create, apply, patch, replace or delete`,
      );
  }
}

/** `kubectl patch`: a patch for the object that it names itself, or that the flags name. */
export async function patch(
  task: KubeTask,
  { body, strategy, object }: { body: unknown; strategy: string; object: KubeObject | undefined },
): Promise<KubeObject> {
  const types: Readonly<Record<string, string>> = {
    strategic: 'application/strategic-merge-patch+json',
    merge: 'application/merge-patch+json',
    json: 'application/json-patch+json',
  };
  const contentType = types[strategy];
  if (!contentType) throw new Error(`mergeStrategy ${strategy} is not known: use strategic, merge or json`);
  return await send(task, 'PATCH', await targetOf(task, object), { body, contentType });
}

async function targetOf(task: KubeTask, object: KubeObject | undefined): Promise<Target> {
  const { client, flags } = task;
  if (object) {
    const resource = await client.discovery.find(object.apiVersion, object.kind);
    if (!resource) throw new Error(`no matches for kind "${object.kind}" in version "${object.apiVersion}"`);
    return target(task, resource, object.metadata?.name, object.metadata?.namespace);
  }
  const [first = '', second] = flags.words;
  const slash = first.indexOf('/');
  const type = slash < 0 ? first : first.slice(0, slash);
  const name = slash < 0 ? second : first.slice(slash + 1);
  if (!type) throw new Error('Must provide at least one of flags or manifest.');
  const resource = await resourceOf(client, type);
  return target(task, resource, name, undefined);
}

function target(task: KubeTask, resource: ApiResource, name: string | undefined, own: string | undefined): Target {
  const { group, version, plural, namespaced } = resource;
  const namespace = namespaced
    ? `namespaces/${encodeURIComponent(task.flags.namespace ?? own ?? task.namespace)}/`
    : '';
  return { path: `${group ? `/apis/${group}` : '/api'}/${version}/${namespace}${plural}`, name };
}

/** A resource by what kubectl calls it: plural, singular, short name or kind, with its group or without. */
async function resourceOf(client: Client, type: string): Promise<ApiResource> {
  const [word = '', ...rest] = type.toLowerCase().split('.');
  const found = (await client.discovery.resources()).find((resource) => {
    const names = [resource.plural, resource.singular, resource.kind.toLowerCase(), ...(resource.shortNames ?? [])];
    const group = rest.join('.');
    return (
      names.includes(word) && (!group || group === resource.group || group === `${resource.version}.${resource.group}`)
    );
  });
  if (!found) throw new Error(`the server doesn't have a resource type "${type}"`);
  return found;
}

async function create(task: KubeTask, to: Target, object: KubeObject): Promise<KubeObject> {
  return await send(task, 'POST', { ...to, name: undefined }, { body: object });
}

async function get(task: KubeTask, from: Target): Promise<KubeObject | undefined> {
  const { flags } = task;
  if (!from.name) {
    const query = flags.selector ? `?labelSelector=${encodeURIComponent(flags.selector)}` : '';
    return (await send(task, 'GET', { path: from.path + query, name: undefined }, {})) as KubeObject;
  }
  try {
    return await send(task, 'GET', from, {});
  } catch (error) {
    if (flags.ignoreNotFound && isNotFound(error)) return undefined;
    throw error;
  }
}

/** As `kubectl apply` without a server's help: what the last one has set and this one does not is removed. */
async function apply(task: KubeTask, to: Target, object: KubeObject): Promise<KubeObject> {
  const { annotations = {}, ...metadata } = object.metadata;
  const { [lastApplied]: _, ...own } = annotations;
  const plain = { ...object, metadata: { ...metadata, ...(Object.keys(own).length > 0 ? { annotations: own } : {}) } };
  const noted = {
    ...plain,
    metadata: { ...metadata, annotations: { ...own, [lastApplied]: `${JSON.stringify(plain)}\n` } },
  };
  let live: KubeObject;
  try {
    live = await send(task, 'GET', to, {});
  } catch (error) {
    if (!isNotFound(error)) throw error;
    try {
      return await create(task, to, noted as KubeObject);
    } catch (raced) {
      if (!isAlreadyExists(raced)) throw raced;
      live = await send(task, 'GET', to, {});
    }
  }
  const before = JSON.parse(live.metadata.annotations?.[lastApplied] ?? '{}') as KubeObject;
  const body = threeWayMergePatch(before, noted, live);
  return await send(task, 'PATCH', to, { body, contentType: 'application/merge-patch+json' });
}

async function serverApply(task: KubeTask, to: Target, object: KubeObject): Promise<KubeObject> {
  const { fieldManager, force } = task.flags;
  const query = `fieldManager=${encodeURIComponent(fieldManager)}&force=${force}`;
  return await send(task, 'PATCH', to, { body: object, contentType: 'application/apply-patch+yaml', query });
}

async function remove(task: KubeTask, from: Target): Promise<undefined> {
  const { gracePeriod, cascade, selector } = task.flags;
  const body = {
    apiVersion: 'v1',
    kind: 'DeleteOptions',
    propagationPolicy: cascade ?? 'Background',
    ...(gracePeriod === undefined ? {} : { gracePeriodSeconds: gracePeriod }),
  };
  if (!from.name && !selector)
    throw new Error('The resource template deletes nothing: name an object, or give a selector');
  try {
    await send(task, 'DELETE', from, {
      body,
      ...(from.name ? {} : { query: `labelSelector=${encodeURIComponent(selector ?? '')}` }),
    });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
  return undefined;
}

async function send(
  { client, flags, signal }: KubeTask,
  method: string,
  { path, name }: Target,
  { body, contentType, query }: { body?: unknown; contentType?: string; query?: string },
): Promise<KubeObject> {
  const sub = flags.subresource && name ? `/${flags.subresource}` : '';
  const full = `${path}${name ? `/${encodeURIComponent(name)}` : ''}${sub}`;
  const dryRun = flags.dryRun && method !== 'GET' ? 'dryRun=All' : '';
  const manager =
    method === 'GET' || method === 'DELETE' || query?.includes('fieldManager')
      ? ''
      : `fieldManager=${encodeURIComponent(flags.fieldManager)}`;
  const more = [query, dryRun, manager].filter(Boolean).join('&');
  const answer = await client.request(method, more ? `${full}?${more}` : full, {
    ...(body === undefined ? {} : { body: contentType ? JSON.stringify(body) : body }),
    ...(contentType ? { contentType } : {}),
    signal,
  });
  return (await answer.json()) as KubeObject;
}

function needed(object: KubeObject | undefined): KubeObject {
  if (!object) throw new Error('The resource template has no manifest');
  return object;
}
