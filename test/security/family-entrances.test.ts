import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { eventsDefinitions, rolloutsDefinitions, workflowsDefinitions } from '@tiphys/api';
import { ensureDefinitions } from '@tiphys/controller';
import { type Client, systemClock } from '@tiphys/kubernetes';
import { startDashboard } from '@tiphys/server';
import fc from 'fast-check';
import { startTestServer } from '../../packages/serve/server/testing/start-test-server.ts';

/** Few in the gate, many by `npm run fuzz`. */
const numRuns = Math.max(80, Math.floor(Number(process.env['FUZZ_RUNS'] ?? 200) / 2));
const seed = Number(process.env['FAST_CHECK_SEED'] ?? 14);

/** A request with the target exactly as it is written here. */
function ask(
  port: number,
  method: string,
  path: string,
  { token, body }: { token?: string; body?: string | Buffer } = {},
) {
  return new Promise<{ status: number; text: string }>((resolve, reject) => {
    const headers = {
      ...{ host: 'localhost', 'content-type': 'application/json' },
      ...(token ? { authorization: `Bearer ${token}` } : {}),
      ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }),
    };
    const asked = httpRequest({ host: '127.0.0.1', port, path, method, headers, agent: false }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
        // streams go on: what they begin with is enough
        if (String(answer.headers['content-type']).startsWith('text/event-stream')) answer.destroy();
      });
      answer.on('close', () => resolve({ status: answer.statusCode ?? 0, text }));
    });
    asked.on('error', reject).end(body);
  });
}

const unforeseen =
  /TypeError|RangeError|SyntaxError|URIError|Cannot read|is not a function|is not iterable|native code|internal error|could not be answered/;

const rolloutService = [
  ...[
    'GET /api/v1/namespace',
    'GET /api/v1/version',
    'GET /api/v1/rollouts/{}/info',
    'GET /api/v1/rollouts/{}/info/watch',
  ],
  ...['GET /api/v1/rollouts/{}/{}/info', 'GET /api/v1/rollouts/{}/{}/info/watch', 'PUT /api/v1/rollouts/{}/{}/restart'],
  ...['PUT /api/v1/rollouts/{}/{}/promote', 'PUT /api/v1/rollouts/{}/{}/abort', 'PUT /api/v1/rollouts/{}/{}/retry'],
  ...['PUT /api/v1/rollouts/{}/{}/undo/{}', 'PUT /api/v1/rollouts/{}/{}/set/{}/{}/{}', 'GET /api/tiphys/v1/rollouts'],
  ...[
    'GET /api/tiphys/v1/rollouts/{}/{}',
    'POST /api/tiphys/v1/rollouts/{}/{}/promote',
    'POST /api/tiphys/v1/rollouts/{}/{}/undo',
  ],
  ...['POST /api/tiphys/v1/rollouts/{}/{}/image', 'POST /api/tiphys/v1/rollouts/{}/{}/{}'],
];
const ownApi = [
  ...[
    'GET /api/tiphys/v1/workflows',
    'GET /api/tiphys/v1/workflows/{}/{}',
    'GET /api/tiphys/v1/workflows/{}/{}/nodes/{}',
  ],
  ...[
    'GET /api/tiphys/v1/notifications',
    'POST /api/tiphys/v1/notifications/try',
    'GET /api/tiphys/v1/applications/{}/renders',
    'GET /api/tiphys/v1/applications/{}/windows',
  ],
  ...[
    'POST /api/tiphys/v1/applications/{}/plan',
    'POST /api/tiphys/v1/applications/preview',
    'GET /api/tiphys/v1/preview',
  ],
  ...['GET /api/tiphys/v1/applicationsets/{}/preview', 'POST /api/tiphys/v1/applicationsets/{}/preview'],
  ...['GET /api/tiphys/v1/applicationsets/{}/elements', 'POST /api/tiphys/v1/applicationsets/{}/confirm-deletions'],
  ...['GET /api/tiphys/v1/events/sources', 'GET /api/tiphys/v1/events/sensors', 'GET /api/tiphys/v1/events/ways'],
  ...['GET /api/tiphys/v1/events/ways/{}/{}', 'POST /api/tiphys/v1/events/send', 'POST /api/tiphys/v1/events/replay'],
  ...['GET /api/tiphys/v1/projects/{}/rulings', 'GET /api/tiphys/v1/projects/{}/windows', 'GET /api/tiphys/v1/history'],
  ...['GET /api/tiphys/v1/history/changes', 'GET /api/tiphys/v1/upgrade', 'POST /api/tiphys/v1/upgrade/audit'],
  ...['GET /api/tiphys/v1/self-management', 'POST /api/tiphys/v1/self-management/accept'],
  ...[
    'GET /api/v1/repositories/{}/apps',
    'GET /api/v1/repositories/{}/refs',
    'GET /api/v1/clusters/{}',
    'GET /api/v1/projects/{}',
  ],
];

const odd = fc.constantFrom(
  ...[
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
    '..',
    '.',
    '%2e%2e',
    '%2e%2e%2f%2e%2e',
    '%00',
    '%',
    '%zz',
    '%ff',
  ],
  ...[
    '%c0%ae',
    '%2F%zz',
    '%EF%BC%8E%EF%BC%8E',
    '%e2%80%ae',
    '%0d%0aX:%20y',
    '*',
    '-',
    '-1',
    '9'.repeat(30),
    '@latest',
    '%5c',
  ],
  ...[
    'a'.repeat(2_500),
    "'%20or%201=1--",
    'shop',
    'web',
    'default',
    '1e999',
    '%7B%7B1%7D%7D',
    '%F0%9F%98%80',
    '%ED%A0%80',
  ],
);
const queries = fc
  .array(
    fc.tuple(
      fc.constantFrom(
        ...[
          'limit',
          'namespace',
          'source',
          'sensor',
          'repo',
          'base',
          'head',
          'application',
          'appNamespace',
          'continue',
        ],
        ...[
          '__proto__',
          'constructor',
          'from',
          'to',
          'name',
          'uid',
          'createdAfter',
          'project',
          'target',
          'id.type',
          'since',
          'kind',
        ],
      ),
      odd,
    ),
    { maxLength: 3 },
  )
  .map((pairs) => (pairs.length === 0 ? '' : `?${pairs.map(([name, value]) => `${name}=${value}`).join('&')}`));
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.jsonValue({ maxDepth: 2 }),
    fc.constantFrom('__proto__', '..', '\0', '{{x}}', '', '-1', 1e300, -1, null, 'shop', 'web', true),
    fc.dictionary(
      fc.constantFrom(
        ...[
          'namespace',
          'source',
          'event',
          'data',
          'last',
          'full',
          'revision',
          'container',
          'image',
          'application',
          'metadata',
        ],
        ...[
          'spec',
          'name',
          'generators',
          'list',
          'elements',
          'template',
          'resources',
          'prune',
          'sources',
          'repoURL',
          'operation',
        ],
        ...['trigger', 'object', 'message', 'manifests', 'version', 'to', 'from', '__proto__', 'constructor', 'length'],
      ),
      tie('value'),
      { maxKeys: 6 },
    ),
    fc.array(tie('value'), { maxLength: 4 }),
  ),
}));
const bodies = fc.oneof(
  { weight: 8, arbitrary: value.map((each) => Buffer.from(JSON.stringify(each) ?? '')) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)) },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom('['.repeat(50_000), `${'{"spec":'.repeat(5_000)}1${'}'.repeat(5_000)}`, ' '.repeat(300_000))
      .map(Buffer.from),
  },
);

interface Entrance {
  readonly port: number;
  readonly token?: string;
  /** What the log has of failures since it was read last. */
  readonly told: () => string;
}

async function attack(entrance: Entrance, routes: readonly string[]): Promise<void> {
  const { port, token, told } = entrance;
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...routes),
      fc.array(odd, { maxLength: 4 }),
      queries,
      bodies,
      async (route, names, query, body) => {
        const [verb = '', pattern = ''] = route.split(' ');
        let index = 0;
        const target = `${pattern.replace(/\{\}/g, () => names[index++] ?? 'shop')}${query}`;
        const sent = verb === 'GET' ? {} : { body };
        const answer = await ask(port, verb, target, { ...sent, ...(token ? { token } : {}) });
        const what = `${verb} ${target} ${body.toString('utf8').slice(0, 200)}: ${answer.status}`;
        assert.doesNotMatch(`${answer.text}\n${told()}`, unforeseen, what);
        if (token)
          assert.ok([401, 404, 400].includes((await ask(port, verb, target, sent)).status), `${what} of a stranger`);
      },
    ),
    { numRuns, seed },
  );
  assert.equal(({} as Record<string, unknown>)['length'], undefined);
}

async function withDefinitions(client: Client): Promise<void> {
  for (const definitions of [rolloutsDefinitions(), eventsDefinitions(), workflowsDefinitions()])
    await ensureDefinitions(client, definitions, systemClock);
  await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } });
  await client.create({
    ...{ apiVersion: 'argoproj.io/v1alpha1', kind: 'Rollout', metadata: { namespace: 'shop', name: 'web' } },
    spec: {
      selector: { matchLabels: { app: 'web' } },
      template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image: 'web:1' }] } },
      strategy: { canary: {} },
    },
  });
}

function logOf() {
  const lines: string[] = [];
  return {
    log: (_level: string, message: string, fields?: object) =>
      void lines.push(`${message} ${JSON.stringify(fields ?? {})}`),
    told: () => lines.splice(0).join('\n'),
  };
}

describe('Names, queries and bodies of any shape are answered, none by a mistake of ours,', () => {
  test('by the own API, that of Rollouts, of events and of previews', async (t) => {
    const { log, told } = logOf();
    const world = await startTestServer(t, { callRates: { burst: 1e9, perSecond: 1e9 }, log });
    await withDefinitions(world.client);
    const port = Number(new URL(world.server.url).port);
    await attack({ port, token: await world.login(), told }, [...rolloutService, ...ownApi]);
    assert.equal((await world.call('/api/version')).status, 200);
  });

  test('by the dashboard of Rollouts', async (t) => {
    const { log, told } = logOf();
    const { client } = await startTestServer(t);
    await withDefinitions(client);
    const folder = mkdtempSync(join(tmpdir(), 'tiphys-dashboard-attacks-'));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    writeFileSync(join(folder, 'index.html'), '<html><head></head></html>');
    const options = {
      client,
      version: '1',
      port: 0,
      host: '127.0.0.1',
      rootPath: 'rollouts',
      webDir: async () => folder,
    };
    const dashboard = await startDashboard({ ...options, log });
    t.after(() => dashboard.close());
    const below = rolloutService.map((route) => route.replace(' ', ' /rollouts'));
    await attack({ port: dashboard.port, told }, [
      ...below,
      ...rolloutService,
      'GET /rollouts/{}/{}',
      'GET /{}',
      'PUT /rollouts{}',
    ]);
  });
});
