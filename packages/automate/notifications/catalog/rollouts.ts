import type { Condition, JsonMap } from '../model/notification.ts';
import type { Catalogue } from './catalogue.ts';

interface Sentence {
  readonly description: string;
  readonly color: string;
  /** What of the Rollout, behind its name. */
  readonly text: string;
  /** More facts under the message: title and template. */
  readonly facts?: Readonly<Record<string, string>>;
}

const weight = '{{with .rollout.status.canary}}{{with .weights}}{{.canary.weight | default 0}} %{{end}}{{end}}';
const step = '{{.rollout.status.currentStepIndex | default 0}}';

/** By trigger; each asks at the Event that it is named after. */
const sentences: Readonly<Record<string, Sentence>> = {
  'on-analysis-run-error': {
    description: 'An analysis of a Rollout could not be made',
    color: '#e96d76',
    text: 'has an analysis that could not be made.',
  },
  'on-analysis-run-failed': {
    description: 'An analysis of a Rollout failed',
    color: '#e96d76',
    text: 'has an analysis that failed.',
  },
  'on-analysis-run-running': {
    description: 'An analysis of a Rollout began',
    color: '#0dadea',
    text: 'is being analysed.',
  },
  'on-rollout-aborted': {
    description: 'An update was aborted',
    color: '#e96d76',
    text: 'aborted its update.{{with .rollout.status.message}} {{.}}{{end}}',
  },
  'on-rollout-completed': {
    description: 'An update is complete',
    color: '#18be52',
    text: 'is updated.',
  },
  'on-rollout-paused': {
    description: 'An update waits to be promoted, or for a time to pass',
    color: '#f4c030',
    text: 'is paused.',
  },
  'on-rollout-step-completed': {
    description: 'An update went on by a step',
    color: '#0dadea',
    text: `went on to step ${step}.`,
    facts: { Step: step, Weight: weight },
  },
  'on-rollout-updated': {
    description: 'An update began',
    color: '#0dadea',
    text: 'is being updated.',
  },
  'on-scaling-replica-set': {
    description: 'A ReplicaSet of a Rollout gets another number of pods',
    color: '#0dadea',
    text: 'is being scaled.',
    facts: {
      Replicas: '{{.rollout.spec.replicas | default 1}}',
      Ready: '{{.rollout.status.readyReplicas | default 0}}',
    },
  },
};

const name = '{{.rollout.metadata.name}}';
const images =
  '{{with .rollout.spec.template}}{{range $i, $c := .spec.containers}}{{if $i}}, {{end}}{{$c.image}}{{end}}{{end}}';

/** Upstream names one template in another way than its trigger. */
const templateOf = (trigger: string): string =>
  trigger === 'on-scaling-replica-set' ? 'scaling-replicaset' : trigger.replace(/^on-/, '');

function template({ color, text, facts = {} }: Sentence): JsonMap {
  const shown = Object.entries({ Namespace: '{{.rollout.metadata.namespace}}', Images: images, ...facts });
  const fields = shown.map(([title, value]) => `{"title": "${title}", "value": "${value}", "short": true}`);
  return {
    message: `Rollout ${name} ${text}`,
    email: { subject: `Rollout ${name}: ${text}` },
    slack: { attachments: `[{"title": "${name}", "color": "${color}", "fields": [${fields.join(', ')}]}]` },
  };
}

const condition = (trigger: string, { description }: Sentence): Condition[] => [
  { when: '', description, send: [templateOf(trigger)], oncePer: '' },
];

/** Triggers and templates of Rollouts, by the names of upstream's. */
export const rolloutCatalogue: Catalogue = {
  triggers: new Map(Object.entries(sentences).map(([key, sentence]) => [key, condition(key, sentence)])),
  templates: new Map(Object.entries(sentences).map(([key, sentence]) => [templateOf(key), template(sentence)])),
};
