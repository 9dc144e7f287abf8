import type { EditableKind, TemplateKind } from '../api/flow.ts';

const kinds = ['container', 'script', 'resource', 'suspend', 'steps', 'dag', 'containerSet', 'http', 'data', 'plugin'];

export interface TemplateRow {
  readonly name: string;
  readonly kind: string;
  /** Its image, its tasks, or the address that it asks. */
  readonly what: string;
  readonly isEntry: boolean;
}

type Fields = Readonly<Record<string, unknown>>;

/** The templates of a spec, what each is and what it runs; the one that it begins with is first. */
export function templateRows(templates: readonly Fields[], entrypoint: string | undefined): TemplateRow[] {
  const rows = templates.map((template): TemplateRow => {
    const kind = kinds.find((one) => template[one] !== undefined) ?? '';
    const name = String(template.name ?? '');
    return { name, kind, what: whatOf(kind, template[kind]), isEntry: name !== '' && name === entrypoint };
  });
  return rows.sort((a, b) => Number(b.isEntry) - Number(a.isEntry));
}

function whatOf(kind: string, value: unknown): string {
  if (kind === 'steps') return names(Array.isArray(value) ? value.flat() : []);
  const fields = isFields(value) ? value : {};
  if (kind === 'dag') return names(fields.tasks);
  if (kind === 'containerSet') return names(fields.containers);
  const word = fields.image ?? fields.url ?? fields.action ?? fields.duration;
  return typeof word === 'string' || typeof word === 'number' ? String(word) : '';
}

function names(list: unknown): string {
  if (!Array.isArray(list)) return '';
  return list
    .flatMap((item: unknown) => (isFields(item) && typeof item.name === 'string' ? [item.name] : []))
    .join(', ');
}

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null;

/** The label by which workflows name what they came of; undefined for what none comes of by a label. */
export function workflowsLabel(kind: TemplateKind): string | undefined {
  if (kind === 'workflow-templates') return 'workflows.argoproj.io/workflow-template';
  if (kind === 'cluster-workflow-templates') return 'workflows.argoproj.io/cluster-workflow-template';
  return kind === 'cron-workflows' ? 'workflows.argoproj.io/cron-workflow' : undefined;
}

/** Kinds by their names in addresses. */
export const kindNames: Readonly<Record<EditableKind | TemplateKind, string>> = {
  'workflow-templates': 'WorkflowTemplate',
  'cluster-workflow-templates': 'ClusterWorkflowTemplate',
  'cron-workflows': 'CronWorkflow',
  'workflow-event-bindings': 'WorkflowEventBinding',
  'event-sources': 'EventSource',
  sensors: 'Sensor',
};

const hello = {
  entrypoint: 'main',
  templates: [{ name: 'main', container: { image: 'alpine:3', command: ['echo'], args: ['hello'] } }],
};

const beginnings: Readonly<Record<string, object>> = {
  'cron-workflows': { schedules: ['0 3 * * *'], concurrencyPolicy: 'Forbid', workflowSpec: hello },
};

/** What somebody begins with who makes one; without a kind, a Workflow to submit. */
export function newManifest(kind: TemplateKind | undefined, namespace: string): object {
  const place = kind === 'cluster-workflow-templates' ? {} : { namespace: namespace || 'default' };
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: kind ? kindNames[kind] : 'Workflow',
    metadata: kind ? { name: 'hello', ...place } : { generateName: 'hello-', ...place },
    spec: (kind && beginnings[kind]) ?? hello,
  };
}
