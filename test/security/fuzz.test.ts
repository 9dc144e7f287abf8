import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DiagnosisError, redact } from '@tiphys/diagnosis';
import { parseRepositoryUrl } from '@tiphys/git';
import { matchListed, matchNegatable, matchPath } from '@tiphys/glob';
import { loadKubeconfig } from '@tiphys/kubernetes';
import { concerns } from '@tiphys/webhooks';
import { parseDocuments } from '@tiphys/yaml';
import fc from 'fast-check';
import { parseSelector } from '../../packages/serve/server/applications/label-selector.ts';
import { RpcError } from '../../packages/serve/server/rpc/rpc-error.ts';
import { parseCookies } from '../../packages/serve/server/transport/cookies.ts';
import { readWebhook } from '../../packages/serve/webhooks/read-webhook.ts';

/** Few in the gate, many by `npm run fuzz`; FAST_CHECK_SEED looks elsewhere. */
const numRuns = Number(process.env['FUZZ_RUNS'] ?? 200);
const seed = Number(process.env['FAST_CHECK_SEED'] ?? 14);
const check = (property: fc.IProperty<unknown> | fc.IAsyncProperty<unknown>) =>
  fc.assert(property as fc.IAsyncProperty<unknown>, { numRuns, seed });

const odd = fc.constantFrom(
  'constructor',
  '__proto__',
  'toString',
  '..',
  '/',
  '\0',
  '{{',
  '*',
  '[',
  '(',
  '\\',
  'é',
  '\ud800',
  '-',
);
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.array(odd).map((parts) => parts.join('')),
  odd,
);

/** What a function says that may refuse; any other error fails the test. */
function refusing(body: () => unknown): void {
  try {
    body();
  } catch (error) {
    assert.ok(error instanceof DiagnosisError || error instanceof RpcError, String((error as Error).stack));
  }
}

const events = {
  'x-github-event': ['push', 'pull_request', 'package', 'ping'],
  'x-gitlab-event': ['Push Hook', 'Tag Push Hook'],
  'x-gogs-event': ['push'],
  'x-event-key': ['repo:push', 'repo:refs_changed'],
  'x-vss-activityid': ['1'],
};
const header = fc.constantFrom(
  ...Object.entries(events).flatMap(([name, values]) => values.map((value) => [name, value] as const)),
);
const field = fc.constantFrom(
  'repository',
  'ref',
  'commits',
  'push',
  'changes',
  'resource',
  'refUpdates',
  'project',
  'links',
  'clone',
  'before',
  'after',
);
const { body } = fc.letrec((tie) => ({
  body: fc.oneof(
    { depthSize: 'small' },
    fc.jsonValue(),
    text,
    fc.dictionary(fc.oneof(field, odd), tie('body')),
    fc.array(tie('body')),
  ),
}));

test('webhooks of any shape end in events or a refusal', () =>
  check(
    fc.asyncProperty(header, body, async ([name, value], sent) => {
      const bytes = Buffer.from(JSON.stringify(sent) ?? '');
      const request = { method: 'POST', header: (wanted: string) => (wanted === name ? value : '') };
      const parsed = await readWebhook(request, {}, async () => bytes);
      const source = { repoURL: 'https://host.example/a/b', targetRevision: 'main', paths: ['*'] };
      if (parsed.kind === 'events') for (const event of parsed.events) concerns(event, source);
    }),
  ));

test('addresses, selectors, cookies and patterns of any text are read or refused', () =>
  check(
    fc.property(text, text, (one, other) => {
      refusing(() => parseRepositoryUrl(one));
      refusing(() => parseRepositoryUrl(`https://${one}@${other}/x`));
      refusing(() => parseSelector(one)({ [other]: one }));
      parseCookies(one);
      redact(`see ${one}://${other}`);
      for (const match of [matchNegatable, matchPath]) assert.equal(typeof match(one, other), 'boolean');
      matchListed([one, `/${one}/`], other);
    }),
  ));

test('documents and kubeconfigs of any text are read or refused', () =>
  check(
    fc.property(
      fc.oneof(
        text,
        body.map((value) => JSON.stringify(value) ?? ''),
      ),
      (given) => {
        refusing(() => parseDocuments(given));
        refusing(() => loadKubeconfig(given, { baseDir: '/nowhere' }));
      },
    ),
  ));
