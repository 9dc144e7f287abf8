import { type ApplicationRef, apiPath, request } from './client.ts';
import type { Workflow, WorkflowSummary } from './families.ts';

/** Workflows: what Tiphys' own API tells of them, and Argo Workflows' API below `flow/`. */

export interface Parameter {
  name: string;
  value?: string | number | boolean;
  default?: string | number | boolean;
  enum?: (string | number | boolean)[];
  description?: string;
}

export interface Artifact {
  name: string;
  path?: string;
  deleted?: boolean;
  [field: string]: unknown;
}

interface Values {
  parameters?: Parameter[];
  artifacts?: Artifact[];
  result?: string;
  exitCode?: string;
}

export interface NodeDetail {
  node: { id: string; name: string; type: string; phase?: string; inputs?: Values; outputs?: Values } & Record<
    string,
    unknown
  >;
  template: Record<string, unknown> | null;
  podName: string;
  locks: { name: string; holders: string[] }[];
}

export interface Template {
  metadata: {
    name: string;
    namespace?: string;
    creationTimestamp?: string;
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
  };
  spec: WorkflowSpec & {
    workflowSpec?: WorkflowSpec;
    schedules?: string[];
    schedule?: string;
    timezone?: string;
    suspend?: boolean;
    event?: { selector?: string };
    submit?: { workflowTemplateRef?: { name?: string; clusterScope?: boolean } };
  };
  status?: {
    active?: { name: string }[];
    lastScheduledTime?: string;
    phase?: string;
    conditions?: { type: string; message?: string }[];
  };
}

interface WorkflowSpec {
  entrypoint?: string;
  arguments?: { parameters?: Parameter[]; artifacts?: { name: string }[] };
  templates?: ({ name?: string } & Record<string, unknown>)[];
}

export type TemplateKind =
  | 'workflow-templates'
  | 'cluster-workflow-templates'
  | 'cron-workflows'
  | 'workflow-event-bindings';
export type WorkflowVerb = 'resubmit' | 'retry' | 'stop' | 'terminate' | 'suspend' | 'resume';

export interface WorkflowQuery {
  namespace: string;
  name: string;
  labels: string;
  createdAfter: string;
  finishedBefore: string;
  continue: string;
}

export interface WorkflowPage {
  items: WorkflowSummary[];
  columns?: { name?: string; type?: string; key?: string }[];
  continue?: string;
  mayAct?: boolean;
  note?: string;
}

/** An object as somebody wrote it. */
export interface Manifest {
  readonly metadata?: { readonly name?: string; readonly namespace?: string };
}

/** Kinds that are created, changed and deleted here, by their names in addresses. */
export type EditableKind = Exclude<TemplateKind, 'workflow-event-bindings'> | 'event-sources' | 'sensors';

/** What the API calls the object in a body. */
const bodyNames: Readonly<Record<EditableKind, string>> = {
  'workflow-templates': 'template',
  'cluster-workflow-templates': 'template',
  'cron-workflows': 'cronWorkflow',
  'event-sources': 'eventSource',
  sensors: 'sensor',
};

function pathOf(kind: EditableKind, namespace: string, name?: string): string {
  const parts = [...(kind === 'cluster-workflow-templates' ? [] : [namespace]), ...(name === undefined ? [] : [name])];
  return [kind, ...parts.map(encodeURIComponent)].join('/');
}

const own = 'api/tiphys/v1';
const root = `${own}/flow/api/v1`;
const of = ({ namespace, name }: ApplicationRef) => `${encodeURIComponent(namespace)}/${encodeURIComponent(name)}`;

export const flow = {
  list: (query: Partial<WorkflowQuery>) => request<WorkflowPage>('GET', 'workflows', { root: own, query }),
  workflow: (ref: ApplicationRef, uid: string) =>
    request<Workflow>('GET', `workflows/${of(ref)}`, { root: own, query: { uid: uid || undefined } }),
  node: (ref: ApplicationRef, id: string, uid: string) =>
    request<NodeDetail>('GET', `workflows/${of(ref)}/nodes/${encodeURIComponent(id)}`, {
      root: own,
      query: { uid: uid || undefined },
    }),
  manifest: (ref: ApplicationRef, uid: string) =>
    request<Record<string, unknown>>('GET', `workflows/${of(ref)}`, {
      root,
      query: { uid: uid || undefined, fields: '-status.nodes,-metadata.managedFields' },
    }),
  act: (ref: ApplicationRef, verb: WorkflowVerb, body: Record<string, unknown> = {}) =>
    request<{ metadata?: { name?: string } }>('PUT', `workflows/${of(ref)}/${verb}`, {
      root,
      body: { ...body, namespace: ref.namespace, name: ref.name },
    }),
  templates: async (kind: TemplateKind, namespace: string) =>
    (
      await request<{ items?: Template[] | null }>(
        'GET',
        kind === 'cluster-workflow-templates' ? kind : `${kind}/${encodeURIComponent(namespace)}`,
        { root },
      )
    ).items ?? [],
  submit: (body: { namespace: string; resourceKind: string; resourceName: string; submitOptions: object }) =>
    request<{ metadata: { name: string; namespace: string } }>(
      'POST',
      `workflows/${encodeURIComponent(body.namespace)}/submit`,
      { root, body },
    ),
  /** Puts a file where an artifact of a template is kept. The key is for `submitOptions.artifacts`. */
  upload: ({ namespace, name }: ApplicationRef, artifact: string, file: File) => {
    const body = new FormData();
    body.set('file', file);
    return request<{ name: string; key: string }>(
      'POST',
      `upload-artifacts/${[namespace, name, artifact].map(encodeURIComponent).join('/')}`,
      { root: `${own}/flow`, body },
    );
  },
  /** Begins a workflow as it is written. */
  start: (workflow: Manifest) => {
    const namespace = workflow.metadata?.namespace || 'default';
    return request<{ metadata: { name: string; namespace: string } }>(
      'POST',
      `workflows/${encodeURIComponent(namespace)}`,
      { root, body: { namespace, workflow } },
    );
  },
  createTemplate: (kind: EditableKind, object: Manifest) =>
    request('POST', pathOf(kind, object.metadata?.namespace || 'default'), {
      root,
      body: { namespace: object.metadata?.namespace || 'default', [bodyNames[kind]]: object },
    }),
  saveTemplate: (kind: EditableKind, ref: ApplicationRef, object: Manifest) =>
    request('PUT', pathOf(kind, ref.namespace, ref.name), { root, body: { ...ref, [bodyNames[kind]]: object } }),
  removeTemplate: (kind: EditableKind, ref: ApplicationRef) =>
    request('DELETE', pathOf(kind, ref.namespace, ref.name), { root }),
  object: (kind: EditableKind, ref: ApplicationRef) =>
    request<{ metadata: object }>('GET', pathOf(kind, ref.namespace, ref.name), { root }),
  suspendCron: (ref: ApplicationRef, verb: 'suspend' | 'resume') =>
    request('PUT', `cron-workflows/${of(ref)}/${verb}`, { root, body: ref }),
};

/** Where the Events of a pod are followed. */
export function podEventsAddress(namespace: string, podName: string): string {
  const fieldSelector = `involvedObject.kind=Pod,involvedObject.name=${podName}`;
  return apiPath(
    `stream/events/${encodeURIComponent(namespace)}`,
    { 'listOptions.fieldSelector': fieldSelector },
    root,
  );
}

/** Where the log of a workflow is read, or of one of its pods; lines of JSON. */
export function logAddress(ref: ApplicationRef, query: { podName: string; grep: string; follow: boolean }): string {
  return apiPath(
    `workflows/${of(ref)}/log`,
    {
      podName: query.podName || undefined,
      grep: query.grep || undefined,
      'logOptions.container': 'main',
      'logOptions.follow': query.follow || undefined,
    },
    root,
  );
}

/** Where an artifact is read; it comes with a policy that lets nothing in it run. */
export function artifactAddress(
  ref: ApplicationRef,
  options: { uid: string; node: string; name: string; isInput: boolean; archived: boolean },
): string {
  const { uid, node, name, isInput, archived } = options;
  const kind = `${isInput ? 'input-' : ''}artifacts${archived ? '-by-uid' : ''}`;
  const place = archived ? encodeURIComponent(uid) : of(ref);
  return apiPath(`${kind}/${place}/${encodeURIComponent(node)}/${encodeURIComponent(name)}`, {}, `${own}/flow`);
}
