import { googlechat, mattermost, pushover, rocketchat, telegram, webex } from './chats.ts';
import { email } from './email.ts';
import { github } from './github.ts';
import { alertmanager, grafana, newrelic } from './monitoring.ts';
import { opsgenie, pagerduty, pagerdutyv2 } from './pagers.ts';
import { awssqs, gcppubsub, nats } from './queues.ts';
import type { ServiceFactory } from './service.ts';
import { slack } from './slack.ts';
import { teams, teamsWorkflows } from './teams.ts';
import { webhook } from './webhook.ts';

/** The services by type: the second part of `service.TYPE.NAME`. */
export const serviceTypes: ReadonlyMap<string, ServiceFactory> = new Map(
  Object.entries({
    alertmanager,
    awssqs,
    email,
    gcppubsub,
    github,
    googlechat,
    grafana,
    mattermost,
    nats,
    newrelic,
    opsgenie,
    pagerduty,
    pagerdutyv2,
    pushover,
    rocketchat,
    slack,
    teams,
    'teams-workflows': teamsWorkflows,
    telegram,
    webex,
    webhook,
  }),
);
