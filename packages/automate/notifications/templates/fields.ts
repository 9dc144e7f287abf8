/** How a text of a section is made: `keep` leaves what an earlier template made if this one makes nothing. */
export type FieldMode = 'keep' | 'set';

export interface SectionFields {
  /** Texts that are templates, by path; `*` stands for every key or item. */
  readonly templates: Readonly<Record<string, FieldMode>>;
  /** A later template's section takes the place of an earlier one's, instead of being put over it. */
  readonly replaces?: boolean;
  /** Templates of fields that are not given. */
  readonly defaults?: Readonly<Record<string, string>>;
}

const all = (names: string, mode: FieldMode): Record<string, FieldMode> =>
  Object.fromEntries(names.split(' ').map((name) => [name, mode]));

const card = 'template title summary text themeColor facts sections potentialAction';

/** Which fields of each section of a template are templates themselves; all others are taken as they are. */
export const sectionFields: Readonly<Record<string, SectionFields>> = {
  awssqs: { templates: all('messageGroupId messageAttributes.*', 'keep') },
  gcppubsub: { templates: all('attributes.*', 'keep') },
  email: { templates: all('subject body', 'keep') },
  slack: { templates: all('username icon attachments blocks groupingKey', 'set'), replaces: true },
  mattermost: { templates: all('attachments', 'set'), replaces: true },
  rocketchat: { templates: all('attachments', 'set'), replaces: true },
  teams: { templates: all(card, 'keep') },
  'teams-workflows': { templates: all(`${card} adaptiveCard`, 'keep') },
  googlechat: { templates: all('cards cardsV2 threadKey', 'keep') },
  webhook: { templates: all('*.body *.path', 'set') },
  opsgenie: {
    templates: all(
      'description priority alias note entity user actions.* tags.* details.* visibleTo.*.id visibleTo.*.type visibleTo.*.name visibleTo.*.username',
      'set',
    ),
  },
  alertmanager: {
    templates: all('labels.* annotations.* generatorURL', 'keep'),
    defaults: { generatorURL: '{{.app.spec.source.repoURL}}' },
  },
  pagerduty: { templates: all('title body urgency priorityId', 'set'), replaces: true },
  pagerdutyv2: { templates: all('summary severity source component group class url dedupKey', 'set'), replaces: true },
  newrelic: {
    templates: all('revision changelog description user', 'set'),
    replaces: true,
    defaults: {
      revision: '{{.app.status.operationState.syncResult.revision}}',
      changelog: '{{(call .repo.GetCommitMetadata .app.status.sync.revision).Message}}',
      user: '{{(call .repo.GetCommitMetadata .app.status.sync.revision).Author}}',
    },
  },
  github: {
    templates: all(
      `repoURLPath revisionPath status.state status.label status.targetURL deployment.state deployment.environment deployment.environmentURL deployment.logURL deployment.reference pullRequestComment.content checkRun.name checkRun.details_url checkRun.status checkRun.conclusion checkRun.started_at checkRun.completed_at checkRun.output.title checkRun.output.summary checkRun.output.text repositoryDispatch.event_type repositoryDispatch.client_payload`,
      'set',
    ),
    defaults: {
      repoURLPath: '{{.app.spec.source.repoURL}}',
      revisionPath: '{{.app.status.operationState.syncResult.revision}}',
    },
  },
};
