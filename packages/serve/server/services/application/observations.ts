import type { Application, SyncWindow, services } from '@tiphys/api';
import { blockingWindow, isActive, windowsOf } from '@tiphys/applications';
import type { TreeNode } from '@tiphys/engine';
import { rbacName, refOf } from '../../applications/applications.ts';
import { accessApplication, viewApplication } from '../../context/access.ts';
import type { ServerContext } from '../../context/server-context.ts';
import { deepLinks } from '../../links/deep-links.ts';
import { eventListJson } from '../../resources/event-json.ts';
import { lineFilter } from '../../resources/line-filter.ts';
import { actionTarget } from '../../resources/live-resource.ts';
import { maskSecrets } from '../../resources/mask-secrets.ts';
import { type LogLine, mergedLogs } from '../../resources/pod-logs.ts';
import type { ServiceHandlers } from '../../rpc/handlers.ts';
import { Code, invalidArgument, RpcError } from '../../rpc/rpc-error.ts';
import { sensitiveAnnotations } from './resources.ts';

type Handlers = ServiceHandlers<typeof services.application>;
type Methods = 'listResourceEvents' | 'podLogs' | 'listLinks' | 'listResourceLinks' | 'getApplicationSyncWindows';

export function applicationObservations(context: ServerContext): Pick<Handlers, Methods> {
  const { backend, client, clock, namespace, plane } = context;
  return {
    async listResourceEvents(request, call) {
      const { app } = await viewApplication(context, call, 'get', request);
      if (!request.resourceName && !request.resourceUID) {
        const fieldSelector = `involvedObject.name=${app.metadata.name},involvedObject.uid=${app.metadata.uid},involvedObject.namespace=${app.metadata.namespace}`;
        return eventListJson(
          await client.list(
            { apiVersion: 'v1', kind: 'Event', namespace: app.metadata.namespace as string },
            { fieldSelector },
          ),
        );
      }
      const tree = await backend.tree(refOf(app), call.signal);
      const { resourceName = '', resourceUID = '', resourceNamespace = '' } = request;
      const node = [...tree.nodes, ...tree.orphaned].find(
        ({ key, uid }) => uid === resourceUID && key.name === resourceName && key.namespace === resourceNamespace,
      );
      if (!node) throw invalidArgument(`${resourceName} not found as part of application ${request.name}`);
      const cluster = await backend.clusterOf(app);
      const fieldSelector = `involvedObject.name=${resourceName},involvedObject.uid=${resourceUID},involvedObject.namespace=${resourceNamespace}`;
      return eventListJson(
        await cluster.client.list(
          { apiVersion: 'v1', kind: 'Event', ...(resourceNamespace ? { namespace: resourceNamespace } : {}) },
          { fieldSelector },
        ),
      );
    },

    async *podLogs(request, call) {
      const { app } = await viewApplication(context, call, 'get', request);
      (await context.enforcer()).enforce(call.identity, 'logs', 'get', rbacName(app, namespace));
      const accepts = lineFilter(request);
      const tree = await backend.tree(refOf(app), call.signal);
      const query =
        request.podName === undefined ? request : { ...request, kind: 'Pod', group: '', resourceName: request.podName };
      const pods = selectPods(tree.nodes, query);
      if (pods.length === 0) return;
      const config = plane.configMap('argocd-cm');
      if (pods.length > (Number(config['server.maxPodLogsToRender']) || 10))
        throw new RpcError(
          Code.InvalidArgument,
          'max pods to view logs are reached. Please provide more granular query',
        );
      const cluster = await backend.clusterOf(app);
      const until = request.untilTime ? Date.parse(request.untilTime) : Number.POSITIVE_INFINITY;
      if (Number.isNaN(until))
        throw new RpcError(Code.Unknown, `invalid untilTime parameter value: ${request.untilTime}`);
      const { tailLines = 0, sinceSeconds = 0 } = request;
      const lines = mergedLogs(
        cluster.client,
        pods.map((pod) => ({ namespace: pod.key.namespace, name: pod.key.name })),
        {
          ...(request.container ? { container: request.container } : {}),
          ...(sinceSeconds > 0 ? { sinceSeconds } : {}),
          ...(request.sinceTime ? { sinceTime: request.sinceTime } : {}),
          ...(tailLines > 0 ? { tailLines } : {}),
          follow: request.follow ?? false,
          previous: request.previous ?? false,
          timestamps: true,
          signal: call.signal,
        },
      );
      for await (const line of lines) {
        if (!accepts(line.content)) continue;
        const last = line.at > until;
        yield entry(line, last);
        if (last) return;
      }
      yield entry({ pod: '', content: '', at: clock.now(), time: new Date(clock.now()).toISOString() }, true);
    },

    async listLinks(request, call) {
      const { app } = await accessApplication(context, call, 'get', {
        name: request.name,
        appNamespace: request.namespace,
        project: request.project,
      });
      return deepLinks(context, 'application.links', await linkData(context, app));
    },

    async listResourceLinks(request, call) {
      const { app, client: cluster, ref } = await actionTarget(context, call, 'get', request);
      const [resource] = maskSecrets([await cluster.get(ref)], await sensitiveAnnotations(context));
      const { project } = await accessApplication(context, call, 'get', request);
      const { scopedClusters: _scoped, status: _status, ...shown } = project;
      return deepLinks(context, 'resource.links', { ...(await linkData(context, app)), resource, project: shown });
    },

    async getApplicationSyncWindows(request, call) {
      const { app, project } = await accessApplication(context, call, 'get', request);
      const assigned = windowsOf(project, app);
      return {
        activeWindows: assigned.filter((window) => isActive(window, clock.now())).map(windowJson),
        assignedWindows: assigned.map(windowJson),
        canSync: blockingWindow(project, app, clock.now()) === undefined,
      };
    },
  };
}

/** What the links of an application speak of: itself, its cluster without credentials, and who manages it. */
async function linkData({ clusters, plane }: ServerContext, app: Application): Promise<Record<string, unknown>> {
  const cluster = await clusters.find(app.spec.destination);
  const managedBy = app.metadata.annotations?.['argocd.argoproj.io/managed-by-url'] ?? '';
  const managedByURL = /^https?:\/\//.test(managedBy) ? managedBy : plane.configMap('argocd-cm').url;
  return {
    application: app,
    app,
    ...(cluster
      ? {
          cluster: {
            server: cluster.server,
            name: cluster.name,
            namespaces: cluster.namespaces,
            project: cluster.project,
            labels: cluster.labels,
            annotations: cluster.annotations,
          },
        }
      : {}),
    ...(managedByURL ? { managedByURL } : {}),
  };
}

function windowJson({ kind = '', schedule = '', duration = '', manualSync = false }: SyncWindow) {
  return { kind, schedule, duration, manualSync };
}

function entry({ pod, content, at, time }: LogLine, last: boolean) {
  return { content, timeStamp: new Date(at).toISOString(), timeStampStr: time, podName: pod, last };
}

/** Pods that are the named resource or descend from it; all pods if nothing is named. */
function selectPods(
  nodes: readonly TreeNode[],
  query: {
    group?: string | undefined;
    kind?: string | undefined;
    namespace?: string | undefined;
    resourceName?: string | undefined;
  },
): TreeNode[] {
  const byUid = new Map(nodes.map((node) => [node.uid, node]));
  const named = ({ key }: TreeNode) =>
    (!query.resourceName || key.name === query.resourceName) &&
    (!query.kind || key.kind === query.kind) &&
    (!query.group || key.group === query.group) &&
    (!query.namespace || key.namespace === query.namespace);
  const descends = (node: TreeNode, depth = 0): boolean =>
    named(node) ||
    (depth < 20 &&
      node.parents.some((parent) => {
        const owner = byUid.get(parent.uid);
        return owner !== undefined && descends(owner, depth + 1);
      }));
  return nodes.filter((node) => node.key.kind === 'Pod' && node.key.group === '' && node.uid && descends(node));
}
