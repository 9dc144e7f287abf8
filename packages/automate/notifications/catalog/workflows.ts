import type { Condition, JsonMap } from '../model/notification.ts';
import type { Catalogue } from './catalogue.ts';

interface Happening {
  readonly description: string;
  readonly when: string;
  readonly color: string;
  /** What of the Workflow, behind its name. */
  readonly text: string;
  /** Whether the steps that failed are named. */
  readonly hasFailed?: boolean;
}

const phase = (name: string): string => `workflow.status?.phase == '${name}'`;
const message = '{{with .workflow.status.message}} {{.}}{{end}}';

/** By template; the trigger is called `on-` and that. */
const happenings: Readonly<Record<string, Happening>> = {
  'workflow-error': {
    description: 'A Workflow ended with an error of its own: nothing of it could be run, or a pod was lost',
    when: phase('Error'),
    color: '#e96d76',
    text: `ended with an error.${message}`,
    hasFailed: true,
  },
  'workflow-failed': {
    description: 'A Workflow failed',
    when: phase('Failed'),
    color: '#e96d76',
    text: `failed.${message}`,
    hasFailed: true,
  },
  'workflow-running': {
    description: 'A Workflow began',
    when: phase('Running'),
    color: '#0dadea',
    text: 'began.',
  },
  'workflow-succeeded': {
    description: 'A Workflow succeeded',
    when: phase('Succeeded'),
    color: '#18be52',
    text: 'succeeded.',
  },
  'workflow-suspended': {
    description: 'A Workflow waits for somebody, or something, to resume it',
    when: `${phase('Running')} && (workflow.spec?.suspend == true || any(values(workflow.status?.nodes ?? {}), {.type == 'Suspend' && .phase == 'Running'}))`,
    color: '#f4c030',
    text: 'is suspended.',
  },
};

const name = '{{.workflow.metadata.name}}';
const failed =
  '{{range .workflow.status.nodes}}{{if ne .phase "Running"}}\n* {{.displayName}}: {{.message | default .phase}}{{end}}{{end}}';

function template({ color, text, hasFailed }: Happening): JsonMap {
  const fact = (title: string, value: string) => `{"title": "${title}", "value": "${value}", "short": true}`;
  const facts = [
    fact('Namespace', '{{.workflow.metadata.namespace}}'),
    fact('Progress', '{{.workflow.status.progress | default "0/0"}}'),
  ];
  return {
    message: `Workflow ${name} ${text}${hasFailed ? failed : ''}`,
    email: { subject: `Workflow ${name}: ${text}` },
    slack: { attachments: `[{"title": "${name}", "color": "${color}", "fields": [${facts.join(', ')}]}]` },
  };
}

const condition = (key: string, { description, when }: Happening): Condition[] => [
  { when, description, send: [key], oncePer: '' },
];

/** Triggers and templates of Workflows, of which Argo Workflows tells nobody. */
export const workflowCatalogue: Catalogue = {
  triggers: new Map(Object.entries(happenings).map(([key, happening]) => [`on-${key}`, condition(key, happening)])),
  templates: new Map(Object.entries(happenings).map(([key, happening]) => [key, template(happening)])),
};
