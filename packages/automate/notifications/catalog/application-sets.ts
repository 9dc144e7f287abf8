import type { Condition, JsonMap } from '../model/notification.ts';
import type { Catalogue } from './catalogue.ts';

interface Happening {
  readonly description: string;
  readonly when: string;
  readonly oncePer?: string;
  readonly color: string;
  /** What of the ApplicationSet, behind its name. */
  readonly text: string;
}

/** A condition of the status that holds, or one that is no more, by its type. */
const is = (type: string, status: 'True' | 'False', reason?: string): string =>
  `any(appset.status?.conditions ?? [], {.type == '${type}' && .status == '${status}'${reason ? ` && .reason == '${reason}'` : ''}})`;

const once = 'appset.metadata.name';

/** What the condition of a type says, in a template. */
const said = (type: string): string =>
  `{{with .appset.status}}{{range .conditions}}{{if eq .type "${type}"}} {{.message}}{{end}}{{end}}{{end}}`;

/** By template; the trigger is called `on-` and that. */
const happenings: Readonly<Record<string, Happening>> = {
  'appset-created': {
    description: 'The ApplicationSet was created',
    when: 'true',
    oncePer: once,
    color: '#18be52',
    text: 'was created.',
  },
  'appset-deleted': {
    description: 'The ApplicationSet is being deleted',
    when: 'appset.metadata.deletionTimestamp != nil',
    oncePer: once,
    color: '#8a8f98',
    text: 'is being deleted.',
  },
  'appset-deletions-held': {
    description: 'More Applications would be deleted than the limit permits at once',
    when: is('ResourcesUpToDate', 'False', 'DeletionsHeld'),
    color: '#f4c030',
    text: `waits before it deletes Applications.${said('ResourcesUpToDate')}`,
  },
  'appset-error': {
    description: 'A generator, the template or a write of the ApplicationSet failed',
    when: is('ErrorOccurred', 'True'),
    color: '#e96d76',
    text: `failed.${said('ErrorOccurred')}`,
  },
  'appset-rollout-completed': {
    description: 'A RollingSync is complete',
    when: is('RolloutProgressing', 'False', 'ApplicationSetRolloutComplete'),
    color: '#18be52',
    text: 'has rolled out to all of its Applications.',
  },
  'appset-rollout-progressing': {
    description: 'A RollingSync began',
    when: is('RolloutProgressing', 'True'),
    color: '#0dadea',
    text: `rolls out.${said('RolloutProgressing')}`,
  },
  'appset-up-to-date': {
    description: 'All Applications are as the generators and the template want them',
    when: is('ResourcesUpToDate', 'True'),
    color: '#18be52',
    text: 'is up to date.',
  },
};

const name = '{{.appset.metadata.name}}';
const link = '{{.context.argocdUrl}}/applicationsets/{{.appset.metadata.namespace}}/{{.appset.metadata.name}}';

function template({ color, text }: Happening): JsonMap {
  const fact = (title: string, value: string) => `{"title": "${title}", "value": "${value}", "short": true}`;
  const facts = [
    fact('Namespace', '{{.appset.metadata.namespace}}'),
    fact('Applications', '{{with .appset.status}}{{.resourcesCount | default 0}}{{else}}0{{end}}'),
  ];
  return {
    message: `ApplicationSet ${name} ${text}\nDetails: ${link}`,
    email: { subject: `ApplicationSet ${name}: ${text}` },
    slack: {
      attachments: `[{"title": "${name}", "title_link": "${link}", "color": "${color}", "fields": [${facts.join(', ')}]}]`,
    },
  };
}

const condition = (key: string, { description, when, oncePer = '' }: Happening): Condition[] => [
  { when, description, send: [key], oncePer },
];

/** Triggers and templates of ApplicationSets, of which Argo CD tells nobody. */
export const applicationSetCatalogue: Catalogue = {
  triggers: new Map(Object.entries(happenings).map(([key, happening]) => [`on-${key}`, condition(key, happening)])),
  templates: new Map(Object.entries(happenings).map(([key, happening]) => [key, template(happening)])),
};
