import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { watchedPaths } from '@tiphys/glob';
import fc from 'fast-check';
import { concerns, type WebhookEvent } from './index.ts';
import { readWebhook, type WebhookSecrets } from './read-webhook.ts';

const read = (headers: Record<string, string>, body: unknown, secrets: WebhookSecrets = {}, method = 'POST') => {
  const header = (name: string) => headers[name] ?? '';
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return readWebhook({ method, header }, secrets, async () => Buffer.from(text));
};

const commits = [{ added: ['a.yaml'], modified: ['b/c.yaml'], removed: [] }, { removed: ['d'] }];
const push = {
  ref: 'refs/heads/main',
  repository: { html_url: 'https://host.example/team/shop', default_branch: 'main' },
  commits,
};
const event: WebhookEvent = {
  kind: 'push',
  urls: ['https://host.example/team/shop'],
  revision: 'main',
  touchedHead: true,
  changedFiles: ['a.yaml', 'b/c.yaml', 'd'],
};
const without = (parts: Partial<WebhookEvent>) => ({ ...event, changedFiles: [], ...parts });

/** A body of each sender as it documents it, with the events that it stands for. */
const senders: [name: string, headers: Record<string, string>, body: unknown, events: unknown[]][] = [
  ['github', { 'x-github-event': 'push' }, push, [event]],
  ['github', { 'x-github-event': 'ping' }, {}, []],
  ['gogs', { 'x-gogs-event': 'push', 'x-github-event': 'push' }, push, [event]],
  [
    'gitlab',
    { 'x-gitlab-event': 'Tag Push Hook' },
    {
      object_kind: 'tag_push',
      ref: 'refs/tags/v1.2.3',
      project: { web_url: 'https://host.example/team/shop', default_branch: 'main' },
    },
    [without({ revision: 'v1.2.3', touchedHead: false })],
  ],
  [
    'gitlab',
    { 'x-gitlab-event': 'System Hook' },
    { event_name: 'push', ...push, project: { web_url: 'https://host.example/team/shop', default_branch: 'main' } },
    [event],
  ],
  [
    'bitbucket',
    { 'x-hook-uuid': '{1}', 'x-event-key': 'repo:push' },
    {
      push: { changes: [{ new: { name: 'main' } }, { new: null, old: { name: 'gone' } }] },
      repository: { links: { html: { href: 'https://host.example/team/shop' } } },
    },
    [without({}), without({ revision: 'gone' })],
  ],
  [
    'bitbucketserver',
    { 'x-event-key': 'repo:refs_changed' },
    {
      changes: [{ ref: { id: 'refs/heads/main' } }],
      repository: {
        links: {
          clone: [
            { name: 'ssh', href: 'ssh://git@host.example:7999/team/shop.git' },
            { name: 'http', href: 'https://host.example/team/shop' },
          ],
        },
      },
    },
    [without({ urls: ['ssh://git@host.example:7999/team/shop.git', 'https://host.example/team/shop'] })],
  ],
  [
    'azuredevops',
    { 'x-vss-activityid': '1' },
    {
      eventType: 'git.push',
      resource: {
        refUpdates: [{ name: 'refs/heads/main' }],
        repository: { remoteUrl: 'https://host.example/team/shop', defaultBranch: 'refs/heads/main' },
      },
    },
    [without({})],
  ],
  [
    'ghcr',
    { 'x-github-event': 'package' },
    {
      action: 'published',
      package: {
        name: 'chart',
        package_type: 'CONTAINER',
        owner: { login: 'team' },
        package_version: { container_metadata: { tag: { name: '1.2.3' } } },
      },
    },
    [{ kind: 'registry', registry: 'ghcr.io', repository: 'team/chart', tag: '1.2.3' }],
  ],
];

test('each sender is known by its headers and read as it documents its events', async () => {
  for (const [sender, headers, body, events] of senders)
    assert.deepEqual(await read(headers, body), { kind: 'events', sender, secured: false, events }, sender);
});

test('Harbor is served only with a secret, which is its whole Authorization header', async () => {
  const body = {
    type: 'PUSH_ARTIFACT',
    event_data: { resources: [{ tag: '1.0', resource_url: 'harbor.example:8443/team/chart:1.0' }] },
  };
  const headers = { authorization: 'Bearer hush' };
  assert.equal((await read(headers, body)).kind, 'refused');
  assert.equal((await read(headers, body, { harbor: 'Bearer other' })).kind, 'refused');
  assert.deepEqual(await read(headers, body, { harbor: 'Bearer hush' }), {
    kind: 'events',
    sender: 'harbor',
    secured: true,
    events: [{ kind: 'registry', registry: 'harbor.example:8443', repository: 'team/chart', tag: '1.0' }],
  });
});

test('with a secret set, a request that does not prove it is refused before its body means anything', async () => {
  const secrets: WebhookSecrets = {
    github: 'hush',
    gitlab: 'hush',
    gogs: 'hush',
    bitbucketUuid: '{2}',
    bitbucketServer: 'hush',
    azureUsername: 'sailor',
    azurePassword: 'hush',
  };
  for (const [sender, headers, body] of senders) {
    const parsed = await read(headers, body, secrets);
    assert.equal(parsed.kind, 'refused', sender);
    assert.equal(parsed.kind === 'refused' && parsed.status, sender === 'ghcr' ? 401 : 400, sender);
  }
  const proofs: Record<string, (body: string) => Record<string, string>> = {
    github: (body) => ({ 'x-hub-signature-256': `sha256=${hmac(body)}` }),
    ghcr: (body) => ({ 'x-hub-signature-256': `sha256=${hmac(body)}` }),
    gogs: (body) => ({ 'x-gogs-signature': hmac(body) }),
    gitlab: () => ({ 'x-gitlab-token': 'hush' }),
    bitbucket: () => ({ 'x-hook-uuid': '{2}' }),
    bitbucketserver: (body) => ({ 'x-hub-signature': `sha256=${hmac(body)}` }),
    azuredevops: () => ({ authorization: `Basic ${Buffer.from('sailor:hush').toString('base64')}` }),
  };
  for (const [sender, headers, body] of senders) {
    const proof = proofs[sender]?.(JSON.stringify(body));
    const parsed = await read({ ...headers, ...proof }, body, secrets);
    assert.equal(parsed.kind === 'events' && parsed.secured, true, sender);
  }
});

test('whatever shape a body has, it ends in events or a refusal', async () => {
  const headers = senders.map(([, each]) => each);
  const leaf = fc.oneof(fc.constant(null), fc.string(), fc.integer(), fc.constant([]), fc.constant({}));
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...senders), fc.infiniteStream(leaf), async ([, each, body], leaves) => {
      const mangled = JSON.parse(JSON.stringify(body), (_key, value) =>
        Math.abs(String(value).length % 3) === 0 ? leaves.next().value : value,
      );
      const parsed = await read(each, mangled ?? {});
      assert.ok(['events', 'refused'].includes(parsed.kind));
    }),
    { numRuns: 300 },
  );
  for (const each of headers) {
    assert.equal((await read(each, 'no json')).kind, 'refused');
    assert.equal((await read(each, '')).kind, 'refused');
    const got = await read(each, {}, {}, 'GET');
    assert.equal(got.kind === 'refused' && got.status, 405);
  }
});

const source = (repoURL: string, targetRevision?: string, paths: string[] = []) => ({ repoURL, targetRevision, paths });

test('a repository is the same in all spellings of its address, and another is another', () => {
  const same = [
    'https://host.example/team/shop',
    'https://host.example/team/shop.git',
    'HTTPS://Host.Example/Team/Shop.git',
    'http://host.example:8080/team/shop',
    'https://sailor@host.example/team/shop',
    'git@host.example:team/shop.git',
    'ssh://git@host.example/team/shop',
    'ssh://git@host.example:7999/team/shop.git',
    'ssh://git@ssh.host.example:443/team/shop.git',
    'ssh://git@altssh.host.example:443/team/shop.git',
  ];
  for (const url of same) assert.equal(concerns(event, source(url)), true, url);
  const others = [
    'https://host.example/team/shop2',
    'https://host.example/team',
    'https://host.example/other/team/shop',
    'https://evil.example/?https://host.example/team/shop',
    'https://host.example.evil.example/team/shop',
    'git@host.example:7999/team/shop',
    'not a url',
    '',
  ];
  for (const url of others) assert.equal(concerns(event, source(url)), url.includes(':7999/'), url);
});

test('an event concerns the sources that follow its revision', () => {
  const url = 'https://host.example/team/shop';
  const at = (revision: string, touchedHead: boolean) => without({ revision, touchedHead }) as WebhookEvent;
  const table: [revision: string, head: boolean, target: string | undefined, concerned: boolean][] = [
    ['main', true, undefined, true],
    ['main', true, 'HEAD', true],
    ['feature', false, 'HEAD', false],
    ['feature', false, 'feature', true],
    ['feature', false, 'refs/heads/feature', true],
    ['feature/x', false, 'refs/heads/feature/x', true],
    ['feature/x', false, 'feature/x', true],
    ['feature/x', false, 'x', false],
    ['v1.2.3', false, 'refs/tags/v1.2.3', true],
    ['v1.2.3', false, '1.2.*', true],
    ['v1.2.3', false, '>=1.0.0 <2.0.0', true],
    ['v1.2.3', false, '>=2', false],
    ['main', true, '1.2.*', false],
    ['main', true, 'a'.repeat(40), false],
  ];
  for (const [revision, head, target, concerned] of table)
    assert.equal(concerns(at(revision, head), source(url, target)), concerned, `${revision} for ${target}`);
  const prefixed = { ...source(url, '1.2.*'), tagPrefix: 'shop-' };
  assert.equal(concerns(at('shop-1.2.4', false), prefixed), true);
  assert.equal(concerns(at('1.2.4', false), prefixed), false);
});

test('files decide where the application names paths and the sender names files', () => {
  const table: [annotation: string, path: string, file: string, concerned: boolean][] = [
    ['', 'apps/shop', 'README.md', true],
    ['.', 'apps/shop', 'apps/shop/a.yaml', true],
    ['.', 'apps/shop', 'apps/shop2/a.yaml', false],
    ['.;../shared', 'apps/shop', 'apps/shared/x', true],
    ['/shared', 'apps/shop', 'shared/deep/x', true],
    ['/', 'apps/shop', 'anything', true],
    ['/shared/*-values.yaml', 'apps/shop', 'shared/prod-values.yaml', true],
    ['/shared/*-values.yaml', 'apps/shop', 'shared/deep/prod-values.yaml', false],
    ['/shared/[a-c].yaml', 'apps/shop', 'shared/b.yaml', true],
    [' . ; ', 'apps/shop', 'other/a.yaml', false],
  ];
  for (const [annotation, path, file, concerned] of table) {
    const paths = watchedPaths(annotation, path);
    const pushed = without({ changedFiles: [file] }) as WebhookEvent;
    assert.equal(
      concerns(pushed, source('https://host.example/team/shop', 'HEAD', paths)),
      concerned,
      `${annotation} ${file}`,
    );
  }
});

test('a pushed tag concerns the OCI sources that follow it', () => {
  const tag: WebhookEvent = { kind: 'registry', registry: 'ghcr.io', repository: 'Team/chart', tag: '1.2.3' };
  assert.equal(concerns(tag, source('oci://ghcr.io/team/chart', '1.2.3')), true);
  assert.equal(concerns(tag, source('oci://ghcr.io/team/chart/', '^1')), true);
  assert.equal(concerns(tag, source('oci://ghcr.io/team/chart', '1.2.4')), false);
  assert.equal(concerns(tag, source('oci://ghcr.io/team/other', '1.2.3')), false);
});

function hmac(body: string): string {
  return createHmac('sha256', 'hush').update(body).digest('hex');
}
