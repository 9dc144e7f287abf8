import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Engine } from '../controller/engine.ts';
import { readSettings } from '../settings/read-settings.ts';
import { Variables } from '../variables/variables.ts';
import { applicationCatalogue } from './applications.ts';

const engine = new Engine(
  readSettings({
    namespace: 'argocd',
    isSelfService: false,
    configMapName: 'cm',
    secretName: 's',
    configMap: new Map([['context', 'argocdUrl: https://cd.example.com']]),
    secret: new Map(),
  }),
  applicationCatalogue,
);
const now = () => Date.parse('2026-01-01T12:00:00Z');

function variables(
  status: object,
  more: object = {},
  questions?: ConstructorParameters<typeof Variables>[0]['questions'],
): Variables {
  const object = {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name: 'shop', namespace: 'argocd' },
    spec: { project: 'default', source: { repoURL: 'https://example.com/o/r.git' } },
    status,
    ...more,
  };
  return new Variables({
    variable: 'app',
    object,
    settings: engine.settings,
    now,
    questions,
    destination: { service: 'slack', recipient: 'ops' },
  });
}

const healthy = {
  health: { status: 'Healthy', lastTransitionTime: '2026-01-01T11:59:00Z' },
  sync: { status: 'Synced', revision: 'abc' },
  operationState: {
    phase: 'Succeeded',
    startedAt: '2026-01-01T11:58:00Z',
    finishedAt: '2026-01-01T11:58:30Z',
    syncResult: { revision: 'abc' },
    message: 'done "well"',
  },
};

const quarantined = {
  metadata: {
    name: 'shop',
    annotations: {
      'tiphys.dev/quarantined-revisions':
        '[{"revisions":["abc"],"at":"2026-01-01T11:00:00Z","reason":"not healthy in time"}]',
    },
  },
};

const fires = async (name: string, status: object, more: object = {}): Promise<string | undefined> => {
  const [result] = await variables(status, more).read((values) => engine.trigger(name)?.evaluate(values, now) ?? []);
  assert.equal(result?.problem, undefined);
  return result?.triggered ? result.oncePer : undefined;
};

test('the triggers of the catalogue fire when they should', async () => {
  assert.equal(await fires('on-created', healthy), 'shop');
  assert.equal(await fires('on-deleted', healthy), undefined);
  assert.equal(await fires('on-deleted', healthy, { metadata: { name: 'shop', deletionTimestamp: 'x' } }), 'shop');
  assert.equal(await fires('on-deployed', healthy), 'abc');
  assert.equal(
    await fires('on-deployed', { ...healthy, health: { ...healthy.health, status: 'Progressing' } }),
    undefined,
  );
  assert.equal(await fires('on-health-degraded', { ...healthy, health: { status: 'Degraded' } }), 'abc');
  assert.equal(await fires('on-revision-quarantined', healthy), undefined);
  assert.equal(await fires('on-revision-quarantined', healthy, quarantined), '2026-01-01T11:00:00Z');
  const { message } = await engine.render(['app-revision-quarantined'], variables(healthy, quarantined));
  assert.match(message, /Revision abc, since 2026-01-01T11:00:00Z: not healthy in time/);
  assert.equal(await fires('on-sync-failed', { ...healthy, operationState: { phase: 'Error' } }), '<nil>');
  assert.equal(await fires('on-sync-running', { ...healthy, operationState: { phase: 'Running' } }), '<nil>');
  assert.equal(await fires('on-sync-succeeded', healthy), 'abc');
  assert.equal(await fires('on-sync-status-unknown', { ...healthy, sync: { status: 'Unknown' } }), 'abc');
});

test('every template of the catalogue makes a message, and JSON where JSON is wanted', async () => {
  for (const [status, spec] of [
    [{ ...healthy, conditions: [{ type: 'SyncError', message: 'a "quoted"\nline' }] }, undefined],
    [healthy, { spec: { project: 'default', sources: [{ repoURL: 'https://a' }, { repoURL: 'https://b' }] } }],
    [{ health: { status: 'Missing' }, sync: { status: 'Unknown' } }, undefined],
  ] as const)
    for (const name of applicationCatalogue.templates.keys()) {
      const notification = await engine.render([name], variables(status, spec));
      assert.match(notification.message, /^:\w+: .*shop/);
      assert.ok(notification.sections.email?.subject);
      for (const text of [
        notification.sections.slack?.attachments,
        notification.sections.teams?.facts,
        notification.sections.teams?.potentialAction,
      ])
        assert.ok(Array.isArray(JSON.parse(String(text))), `${name}: ${String(text)}`);
    }
});

test('templates ask the repository, and what they ask is asked once', async () => {
  let asked = 0;
  const questions = {
    commit: async (_object: unknown, revision: string) => {
      asked += 1;
      return {
        message: `message of ${revision}`,
        author: 'Ann <a@example.com>',
        date: '2026-01-01T10:00:00Z',
        tags: ['v1'],
      };
    },
    details: async () => ({
      type: 'Helm',
      helm: {
        name: 'c',
        valueFiles: [],
        parameters: [{ name: 'image.tag', value: '1' }],
        values: '',
        fileParameters: [],
        overrides: [{ name: 'image.tag', value: '2' }],
      },
    }),
  };
  const own = new Engine(
    {
      ...engine.settings,
      templates: new Map([
        [
          't',
          {
            message:
              '{{(call .repo.GetCommitMetadata .app.status.sync.revision).Message}} {{(call .repo.GetCommitMetadata .app.status.sync.revision).Author}} {{(call .repo.GetCommitMetadata "abc").Date.Year}} {{(call .repo.GetAppDetails).Helm.GetParameterValueByName "image.tag"}} {{call .repo.FullNameByRepoURL .app.spec.source.repoURL}} {{call .repo.RepoURLToHTTPS "git@host.com:o/r.git"}} {{call .strings.ToUpper "x"}} {{(call .time.Now).Format "15:04"}} {{call .sync.GetInfoItem .app "reason"}}',
          },
        ],
      ]),
    },
    applicationCatalogue,
  );
  const status = {
    ...healthy,
    operationState: { ...healthy.operationState, operation: { info: [{ name: 'reason', value: 'because' }] } },
  };
  const { message } = await own.render(['t'], variables(status, {}, questions));
  assert.equal(message, 'message of abc Ann <a@example.com> 2026 2 o/r https://host.com/o/r.git X 12:00 because');
  assert.equal(asked, 1);
});
