import type { Application, ApplicationSet } from '@tiphys/api';
import type { Client, KubeObject } from '@tiphys/kubernetes';
import {
  applicationNotifications,
  applicationSetNotifications,
  Engine,
  type NotifiedKind,
  readSettings,
  rolloutNotifications,
  type Settings,
  workflowNotifications,
} from '@tiphys/notifications';
import { rbacName } from '../../applications/applications.ts';
import { accessApplication } from '../../context/access.ts';
import { accessApplicationSet } from '../../context/application-set-access.ts';
import { hasClusterRight, requireClusterRight } from '../../context/cluster-right.ts';
import type { ServerContext } from '../../context/server-context.ts';
import type { Call } from '../../rpc/call.ts';
import { invalidArgument, notFound } from '../../rpc/rpc-error.ts';
import { notificationSettings } from './notification-settings.ts';
import { repositoryQuestions } from './repository-questions.ts';

/** An object by its kind, which a notification is about. */
export interface Subject {
  readonly name: string;
  readonly namespace?: string | undefined;
}

/** What is seen of an object that people are told of. */
export type Seen = Pick<KubeObject, 'metadata' | 'spec'>;

/** A kind whose objects people are told of, as this server shows and tries it. */
export interface ShownKind {
  readonly family: NotifiedKind;
  /** The settings that count for a namespace; those of the installation without one. */
  settings(namespace?: string): Promise<Settings>;
  /** The objects that the caller may see; undefined where the caller may see none. */
  list(call: Call): Promise<readonly Seen[] | undefined>;
  /** One object, as triggers and templates see it, if the caller may see it, or `update` to send something of it. */
  access(call: Call, action: 'get' | 'update', subject: Subject): Promise<KubeObject>;
}

/** The kinds whose objects people are told of, Applications first. */
export function notifiedKinds(context: ServerContext): readonly ShownKind[] {
  return [applications(context), applicationSets(context), ...ofClusters(context)];
}

/** The kind of that name. Throws InvalidArgument for another one. */
export function notifiedKind(context: ServerContext, kind = 'Application'): ShownKind {
  const all = notifiedKinds(context);
  const found = all.find(({ family }) => family.kind === kind);
  if (found) return found;
  throw invalidArgument(
    `nobody is told of the kind ${kind}: it is one of ${all.map(({ family }) => family.kind).join(', ')}`,
  );
}

export const engineOf = async (kind: ShownKind, namespace?: string): Promise<Engine> =>
  new Engine(await kind.settings(namespace), kind.family.catalogue);

function applications(context: ServerContext): ShownKind {
  const { namespace } = context;
  return {
    family: applicationNotifications({
      namespace,
      applicationNamespaces: () => [],
      selfService: false,
      project: (name) => projectNamed(context, name),
      questions: repositoryQuestions(context.backend),
    }),
    settings: async () => notificationSettings(context),
    async list({ identity }) {
      const enforcer = await context.enforcer();
      const seen = (app: Application) => enforcer.allows(identity, 'applications', 'get', rbacName(app, namespace));
      return context.applications.list().filter(seen) as readonly unknown[] as readonly Seen[];
    },
    async access(call, action, { name, namespace: appNamespace }) {
      const { app } = await accessApplication(context, call, action, { name, appNamespace });
      return app as unknown as KubeObject;
    },
  };
}

function applicationSets(context: ServerContext): ShownKind {
  const { namespace, applicationSets: sets } = context;
  return {
    family: applicationSetNotifications({
      namespace,
      applicationSetNamespaces: () => [],
      selfService: false,
      project: (name) => projectNamed(context, name),
    }),
    settings: async () => notificationSettings(context),
    async list({ identity }) {
      const enforcer = await context.enforcer();
      const seen = (set: ApplicationSet) => enforcer.allows(identity, 'applicationsets', 'get', sets.rbacName(set));
      return sets.list().filter(seen) as readonly unknown[] as readonly Seen[];
    },
    access: async (call, action, { name, namespace: appsetNamespace }) =>
      (await accessApplicationSet(context, call, action, { name, appsetNamespace })) as unknown as KubeObject,
  };
}

const projectNamed = ({ projects }: ServerContext, name: string): KubeObject | undefined =>
  projects.known(name) as unknown as KubeObject | undefined;

/** Kinds that the rights over clusters show, and whose settings are read when they are wanted. */
function ofClusters(context: ServerContext): ShownKind[] {
  const selfService = false;
  return [
    ofCluster(context, rolloutNotifications({ selfService }), async (object) => object),
    ofCluster(context, workflowNotifications({ selfService }), async (object) => {
      const { toldWorkflow } = await import('@tiphys/workflows');
      return toldWorkflow(object as never) as unknown as KubeObject;
    }),
  ];
}

function ofCluster(
  context: ServerContext,
  family: NotifiedKind,
  told: (object: KubeObject) => Promise<KubeObject>,
): ShownKind {
  const { client } = context;
  const { apiVersion, kind } = family;
  return {
    family,
    async settings(namespace = context.namespace) {
      const own = namespace === context.namespace ? undefined : await settingsIn(client, family, namespace, true);
      return own ?? (await settingsIn(client, family, context.namespace, false)) ?? emptySettings(context, family);
    },
    async list(call) {
      if (!(await hasClusterRight(context, call, 'get'))) return undefined;
      const plural = (await client.discovery.find(apiVersion, kind))?.plural;
      return plural ? await firstOf(client, `/apis/${apiVersion}/${plural}`, call.signal) : undefined;
    },
    async access(call, action, { name, namespace = 'default' }) {
      await requireClusterRight(context, call, action);
      const isInstalled = await client.discovery.find(apiVersion, kind);
      const found =
        isInstalled && (await client.find<KubeObject>({ apiVersion, kind, namespace, name }, { signal: call.signal }));
      if (!found) throw notFound(`There is no ${kind} ${namespace}/${name}`);
      return await told({ ...found, apiVersion, kind });
    },
  };
}

/** Of a namespace; undefined without a ConfigMap there. */
async function settingsIn(
  client: Client,
  family: NotifiedKind,
  namespace: string,
  isSelfService: boolean,
): Promise<Settings | undefined> {
  const { configMapName, secretName } = family;
  const configMap = await client.find({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name: configMapName });
  if (!configMap) return undefined;
  const secret = await client.find({ apiVersion: 'v1', kind: 'Secret', namespace, name: secretName });
  const values = Object.entries((secret?.data ?? {}) as Record<string, string>);
  return readSettings({
    namespace,
    isSelfService,
    configMapName,
    secretName,
    configMap: new Map(Object.entries((configMap.data ?? {}) as Record<string, string>)),
    secret: new Map(values.map(([key, value]) => [key, Buffer.from(value, 'base64').toString('utf8')])),
  });
}

const emptySettings = ({ namespace }: ServerContext, { configMapName, secretName }: NotifiedKind): Settings =>
  readSettings({
    namespace,
    isSelfService: false,
    configMapName,
    secretName,
    configMap: new Map(),
    secret: new Map(),
  });

const metadataOnly = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io';
/** Objects of a kind that are looked at. */
const most = 500;

/** Metadata of the first objects of a kind. */
async function firstOf(client: Client, path: string, signal: AbortSignal): Promise<Seen[]> {
  const answer = await client.request('GET', `${path}?limit=${most}`, { accept: metadataOnly, signal });
  return ((await answer.json()) as { items?: Seen[] }).items ?? [];
}
