import type { AnalysisRun } from '@tiphys/analysis';
import type { Experiment, Rollout } from '@tiphys/api';
import type { KubeObject } from '@tiphys/kubernetes';
import type { Relatives, RolloutInfo, VerbTarget } from '@tiphys/rollouts';
import { hasClusterRight, requireClusterRight } from '../../context/cluster-right.ts';
import type { FamilyAccess } from '../../context/family-access.ts';
import { readBounded } from '../../families/bounded-list.ts';
import { hasRoomForStream, watchRollouts } from '../../families/rollout-watch.ts';
import type { Call } from '../../rpc/call.ts';
import { invalidArgument, notFound, resourceExhausted } from '../../rpc/rpc-error.ts';
import { write } from '../../transport/http-message.ts';
import { type OwnRequest, putOwn, serveOwn, streamOwn } from '../own-api.ts';
import { readPromotion } from './rollouts.ts';

const base = '/api/v1/rollouts/';
const reading = '/cluster.ClusterService/List';
const changing = '/cluster.ClusterService/Update';
const argo = 'argoproj.io/v1alpha1';
const label = /^[a-z0-9-]{1,63}$/;
const objectName = /^[a-z0-9.-]{1,253}$/;

interface Named {
  readonly namespace: string;
  readonly name: string;
}

/**
 * The API of Argo Rollouts' dashboard, `rollout.RolloutService`, by the paths of its gateway; undefined for other paths. To read needs
 * `clusters, get, *`, to change `clusters, update, *`. The two watches are server-sent events, as the dashboard's page reads them.
 */
export function serveRolloutService(asked: OwnRequest, context: FamilyAccess): Promise<void> | undefined {
  const { path } = asked;
  if (path === '/api/v1/namespace') return serveOwn(asked, reading, (call) => namespaces(context, call));
  if (path === '/api/v1/version')
    return serveOwn(asked, reading, async (call) => {
      await requireClusterRight(context, call, 'get');
      return { rolloutsVersion: `v${context.version}` };
    });
  if (!path.startsWith(base)) return undefined;
  const [namespace = '', ...rest] = path.slice(base.length).split('/');
  if (!label.test(namespace)) return undefined;
  const last = rest.at(-1);
  const isWatch = last === 'watch' && rest.at(-2) === 'info';
  const about = isWatch ? rest.slice(0, -2) : last === 'info' ? rest.slice(0, -1) : undefined;
  if (!about) return change(asked, context, { namespace, rest });
  const [name] = about;
  if (about.length > 1 || (name !== undefined && !objectName.test(name))) return undefined;
  if (isWatch)
    return streamOwn(asked, reading, {
      before: async (call) => {
        await requireClusterRight(context, call, 'get');
        if (!hasRoomForStream()) throw resourceExhausted('Too many streams of Rollouts are open: close one');
        if (name !== undefined) await find(context, call, { namespace, name });
      },
      send: (call) => watch(context, call, { asked, namespace, name }),
    });
  return serveOwn(asked, reading, (call) =>
    name === undefined ? infos(context, call, namespace) : info(context, call, { namespace, name }),
  );
}

async function namespaces(context: FamilyAccess, call: Call) {
  await requireClusterRight(context, call, 'get');
  const ref = { apiVersion: argo, kind: 'Rollout' };
  const of = ({ metadata }: KubeObject) => metadata.namespace ?? '';
  const { items } = await readBounded<KubeObject, string>(context.client, ref, { of, signal: call.signal });
  const availableNamespaces = [...new Set(items)];
  return { namespace: availableNamespaces[0] ?? 'default', availableNamespaces };
}

async function infos(context: FamilyAccess, call: Call, namespace: string): Promise<{ rollouts: RolloutInfo[] }> {
  await requireClusterRight(context, call, 'get');
  const { rolloutInfo } = await import('@tiphys/rollouts');
  const read = readerOf(context, call, namespace);
  const [rollouts, replicaSets, pods] = await Promise.all([
    read<Rollout>(argo, 'Rollout'),
    read<Relatives['replicaSets'][number]>('apps/v1', 'ReplicaSet'),
    read<Relatives['pods'][number]>('v1', 'Pod'),
  ]);
  const relatives = { replicaSets, pods, experiments: [], analysisRuns: [], now: context.clock.now() };
  return { rollouts: rollouts.map((rollout) => rolloutInfo(rollout, relatives)) };
}

async function info(context: FamilyAccess, call: Call, named: Named): Promise<RolloutInfo> {
  await requireClusterRight(context, call, 'get');
  const { rolloutInfo } = await import('@tiphys/rollouts');
  const rollout = await find(context, call, named);
  const read = readerOf(context, call, named.namespace);
  const [replicaSets, pods, experiments, analysisRuns] = await Promise.all([
    read<Relatives['replicaSets'][number]>('apps/v1', 'ReplicaSet'),
    read<Relatives['pods'][number]>('v1', 'Pod'),
    read<Experiment>(argo, 'Experiment'),
    read<AnalysisRun>(argo, 'AnalysisRun'),
  ]);
  return rolloutInfo(rollout, { replicaSets, pods, experiments, analysisRuns, now: context.clock.now() });
}

function readerOf({ client }: FamilyAccess, { signal }: Call, namespace: string) {
  return async <T extends KubeObject>(apiVersion: string, kind: string): Promise<readonly T[]> =>
    (await readBounded<T, T>(client, { apiVersion, kind, namespace }, { of: (object) => object, signal })).items;
}

async function find({ client }: FamilyAccess, { signal }: Call, { namespace, name }: Named): Promise<Rollout> {
  const rollout = (await client.discovery.find(argo, 'Rollout'))
    ? await client.find<Rollout>({ apiVersion: argo, kind: 'Rollout', namespace, name }, { signal })
    : undefined;
  if (!rollout) throw notFound(`There is no Rollout ${namespace}/${name}`);
  return rollout;
}

async function watch(
  context: FamilyAccess,
  call: Call,
  { asked, namespace, name }: { asked: OwnRequest; namespace: string; name: string | undefined },
): Promise<void> {
  await watchRollouts({
    client: context.client,
    clock: context.clock,
    namespace,
    ...(name === undefined ? {} : { name }),
    signal: call.signal,
    mayRead: () => hasClusterRight(context, call, 'get'),
    send: async (rolloutInfo) => {
      const result = name === undefined ? { type: 'Updated', rolloutInfo } : rolloutInfo;
      await write(asked.response, `data: ${JSON.stringify({ result })}\n\n`);
    },
  });
}

function change(
  asked: OwnRequest,
  context: FamilyAccess,
  { namespace, rest: [name = '', action = '', ...parts] }: { namespace: string; rest: readonly string[] },
): Promise<void> | undefined {
  const act = objectName.test(name) ? actionOf(action, parts) : undefined;
  if (!act) return undefined;
  return putOwn(asked, changing, async (call) => {
    await requireClusterRight(context, call, 'update');
    const full = await readPromotion(asked.request);
    await find(context, call, { namespace, name });
    const verbs = await import('@tiphys/rollouts');
    await act({ client: context.client, namespace, name }, { verbs, full, now: context.clock.now() });
    context.log('info', 'a Rollout was changed', {
      rollout: `${namespace}/${name}`,
      action: [action, ...parts].join(' '),
      by: call.identity?.subject ?? 'anonymous',
    });
    return await find(context, call, { namespace, name });
  });
}

interface Doing {
  readonly verbs: typeof import('@tiphys/rollouts');
  readonly full: boolean;
  readonly now: number;
}

type Act = (target: VerbTarget, doing: Doing) => Promise<unknown>;

/** What `PUT …/NAME/ACTION/PARTS` does; undefined for what upstream does not have either. */
function actionOf(action: string, parts: readonly string[]): Act | undefined {
  const [first = ''] = parts;
  if (action === 'set' && parts.length >= 3) return (target, { verbs }) => verbs.setImage(target, imageOf(parts));
  if (action === 'undo' && parts.length === 1 && /^[0-9]{1,9}$/.test(first))
    return (target, { verbs }) => verbs.undoRollout(target, Number(first));
  if (parts.length > 0) return undefined;
  if (action === 'promote') return (target, { verbs, full }) => verbs.promoteRollout(target, full ? { full } : {});
  if (action === 'restart')
    return (target, { verbs, now }) => verbs.sendPatches(target, 'Rollout', [verbs.restartPatch(now)]);
  if (action === 'abort') return (target, { verbs }) => verbs.sendPatches(target, 'Rollout', [verbs.abortPatch]);
  if (action === 'retry') return (target, { verbs }) => verbs.sendPatches(target, 'Rollout', [verbs.retryRolloutPatch]);
  return undefined;
}

/** `set/CONTAINER/IMAGE/TAG`, where the image may have slashes. */
function imageOf(parts: readonly string[]): { container: string; image: string } {
  try {
    const [container = '', ...image] = parts.map((part) => decodeURIComponent(part));
    const tag = image.pop();
    return { container, image: `${image.join('/')}:${tag}` };
  } catch {
    throw invalidArgument('The path is not well encoded');
  }
}
