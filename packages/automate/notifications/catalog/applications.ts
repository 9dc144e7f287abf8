import { names } from '@tiphys/api';
import type { Condition, JsonMap } from '../model/notification.ts';
import type { Catalogue } from './catalogue.ts';

const perRevision = 'app.status.operationState?.syncResult?.revision';
const operation = 'app.status.operationState != nil and app.status.operationState.phase in';

const condition = (template: string, description: string, when: string, oncePer = perRevision): Condition[] => [
  { when, description, send: [template], oncePer },
];

const triggers: Readonly<Record<string, Condition[]>> = {
  'on-created': condition('app-created', 'The application was created', 'true', 'app.metadata.name'),
  'on-deleted': condition(
    'app-deleted',
    'The application is being deleted',
    'app.metadata.deletionTimestamp != nil',
    'app.metadata.name',
  ),
  'on-deployed': condition(
    'app-deployed',
    'The application is synced and healthy; once for each revision',
    `${operation} ['Succeeded'] and app.status.health.status == 'Healthy' and (!time.Parse(app.status.health.lastTransitionTime).Add(1 * time.Minute).Before(time.Parse(app.status.operationState.finishedAt)) or time.Parse(app.status.health.lastTransitionTime).Before(time.Parse(app.status.operationState.startedAt)))`,
  ),
  'on-health-degraded': condition(
    'app-health-degraded',
    'The application became unhealthy; once for each revision',
    "app.status.health.status == 'Degraded'",
  ),
  'on-revision-quarantined': condition(
    'app-revision-quarantined',
    'A revision was taken back, or refused, and waits for a newer one; once for each',
    `app.metadata.annotations != nil and '${names.annotations.quarantine}' in app.metadata.annotations`,
    `fromJSON(app.metadata.annotations['${names.annotations.quarantine}'])[0].at`,
  ),
  'on-sync-failed': condition(
    'app-sync-failed',
    'A sync of the application failed',
    `${operation} ['Error', 'Failed']`,
  ),
  'on-sync-running': condition('app-sync-running', 'A sync of the application began', `${operation} ['Running']`),
  'on-sync-status-unknown': condition(
    'app-sync-status-unknown',
    'It can not be told whether the application is synced',
    "app.status.sync.status == 'Unknown'",
  ),
  'on-sync-succeeded': condition(
    'app-sync-succeeded',
    'A sync of the application succeeded',
    `${operation} ['Succeeded']`,
  ),
};

interface Sentence {
  /** For Slack alone. */
  readonly sign: string;
  readonly color: string;
  readonly subject: string;
  readonly text: string;
}

const name = '{{.app.metadata.name}}';
const link = '{{.context.argocdUrl}}/applications/{{.app.metadata.name}}';
const operationLink = `${link}?operation=true`;

const sentences: Readonly<Record<string, Sentence>> = {
  'app-created': {
    sign: ':sparkles:',
    color: '#18be52',
    subject: `${name} was created`,
    text: `Application ${name} was created.`,
  },
  'app-deleted': {
    sign: ':wastebasket:',
    color: '#8a8f98',
    subject: `${name} is being deleted`,
    text: `Application ${name} is being deleted.`,
  },
  'app-deployed': {
    sign: ':white_check_mark:',
    color: '#18be52',
    subject: `${name} runs a new revision`,
    text: `Application ${name} runs revision {{.app.status.sync.revision}} and is healthy.`,
  },
  'app-health-degraded': {
    sign: ':exclamation:',
    color: '#f4c030',
    subject: `${name} is degraded`,
    text: `Application ${name} is degraded.{{with .app.status.health.message}} {{.}}{{end}}\nDetails: ${link}`,
  },
  'app-revision-quarantined': {
    sign: ':rewind:',
    color: '#e96d76',
    subject: `A revision of ${name} was taken back`,
    text: `A revision of application ${name} is in quarantine.{{with .app.metadata.annotations}}{{with index . "${names.annotations.quarantine}"}}{{with index (fromJson .) 0}} Revision {{.revisions | join ", "}}, since {{.at}}: {{.reason}}{{end}}{{end}}{{end}}\nDetails: ${link}`,
  },
  'app-sync-failed': {
    sign: ':exclamation:',
    color: '#e96d76',
    subject: `The sync of ${name} failed`,
    text: `The sync of application ${name} failed at {{.app.status.operationState.finishedAt}}: {{.app.status.operationState.message}}\nDetails: ${operationLink}`,
  },
  'app-sync-running': {
    sign: ':arrows_counterclockwise:',
    color: '#0dadea',
    subject: `The sync of ${name} began`,
    text: `The sync of application ${name} began at {{.app.status.operationState.startedAt}}.\nDetails: ${operationLink}`,
  },
  'app-sync-status-unknown': {
    sign: ':question:',
    color: '#f4c030',
    subject: `The sync status of ${name} is unknown`,
    text: `It can not be told whether application ${name} is synced.{{range .app.status.conditions}}\n* {{.message}}{{end}}\nDetails: ${link}`,
  },
  'app-sync-succeeded': {
    sign: ':white_check_mark:',
    color: '#18be52',
    subject: `${name} was synced`,
    text: `The sync of application ${name} succeeded at {{.app.status.operationState.finishedAt}}.\nDetails: ${operationLink}`,
  },
};

const source =
  '{{with .app.spec.source}}{{.repoURL}}{{else}}{{range $i, $s := .app.spec.sources}}{{if $i}}, {{end}}{{$s.repoURL}}{{end}}{{end}}';

/** Facts under a message, as the chats write them. */
function facts(label: 'title' | 'name'): string {
  const rest = label === 'title' ? ', "short": true' : '';
  const fact = (title: string, value: string): string => `{"${label}": "${title}", "value": ${value}${rest}}`;
  return `[
  ${fact('Sync status', '{{.app.status.sync.status | toJson}}')},
  ${fact('Repository', `"${source}"`)},
  ${fact('Revision', '{{.app.status.sync.revision | default "" | toJson}}')}{{range .app.status.conditions}},
  ${fact('{{.type}}', '{{.message | toJson}}')}{{end}}
]`;
}

function template({ sign, color, subject, text }: Sentence): JsonMap {
  return {
    message: `{{if eq .serviceType "slack"}}${sign} {{end}}${text}`,
    email: { subject },
    slack: {
      attachments: `[{"title": "${name}", "title_link": "${link}", "color": "${color}", "fields": ${facts('title')}}]`,
    },
    teams: {
      themeColor: color,
      title: subject,
      facts: facts('name'),
      potentialAction: `[{"@type": "OpenUri", "name": "Open the application", "targets": [{"os": "default", "uri": "${link}"}]}]`,
    },
  };
}

/** Triggers and templates of Applications, by the names of upstream's catalogue. */
export const applicationCatalogue: Catalogue = {
  triggers: new Map(Object.entries(triggers)),
  templates: new Map(Object.entries(sentences).map(([key, sentence]) => [key, template(sentence)])),
};
