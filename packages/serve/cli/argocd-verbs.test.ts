import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Command } from 'commander';
import { addCommands } from './command-groups.ts';
import { addCompletionCommand } from './commands/completion.ts';
import type { Surroundings } from './terminal/command-context.ts';

function testdata<T>(name: string): Map<string, T> {
  const text = readFileSync(join(import.meta.dirname, 'testdata', name), 'utf8');
  return new Map(Object.entries(JSON.parse(text) as Record<string, T>));
}

/** Verbs of `argocd` 3.5.1 with their own flags, but for `admin`. */
const recorded = testdata<string[]>('argocd-verbs.json');

/** Further words for its verbs, single letters for its flags, and forms of `-o`. */
const forms = testdata<{ aliases?: string[]; shorts?: Record<string, string>; output?: string[] }>('argocd-forms.json');

/** Flags of kubectl's that `argocd` gives every group for its mode without a server, which Tiphys has none of. */
const coreFlags = new Set(
  'cluster context insecure-skip-tls-verify kubeconfig namespace password proxy-url request-timeout token user username'.split(
    ' ',
  ),
);
const groups = new Set([
  'account',
  'app',
  'appset',
  'cert',
  'cluster',
  'gpg',
  'proj',
  'repo',
  'repocreds',
  'version',
  'configure',
]);

/** What Tiphys leaves out, as docs/limits.md lists it. The flags of a verb, or all of it. */
const leftOut: ReadonlyMap<string, readonly string[] | 'all'> = new Map<string, readonly string[] | 'all'>([
  [
    'app add-source',
    [
      ...[
        'allow-empty',
        'auto-prune',
        'dest-name',
        'dest-namespace',
        'dest-server',
        'dry-source-path',
        'dry-source-repo',
      ],
      ...[
        'dry-source-revision',
        'env',
        'hydrate-to-branch',
        'project',
        'revision-history-limit',
        'self-heal',
        'sync-option',
      ],
      ...['sync-policy', 'sync-retry-backoff-duration', 'sync-retry-backoff-factor', 'sync-retry-backoff-max-duration'],
      ...['sync-retry-limit', 'sync-retry-refresh', 'sync-source-branch', 'sync-source-path', 'validate'],
    ],
  ],
  ['app create', ['env']],
  [
    'app diff',
    ['ignore-normalizer-jq-execution-timeout', 'server-side-diff-concurrency', 'server-side-diff-max-batch-kb'],
  ],
  ['app set', ['env']],
  [
    'app sync',
    ['ignore-normalizer-jq-execution-timeout', 'server-side-diff-concurrency', 'server-side-diff-max-batch-kb'],
  ],
]);

const surroundings: Surroundings = {
  output: { out: () => undefined, error: () => undefined, colours: false },
  env: {},
  workdir: '/',
  signal: new AbortController().signal,
  askPassword: async () => undefined,
};
const program = new Command('tiphys');
await addCommands(program, surroundings, { words: [], everything: true });
addCompletionCommand(program, surroundings.output);

function find(verb: string): Command | undefined {
  let found: Command | undefined = program;
  for (const word of verb.split(' ')) found = found?.commands.find((one) => one.name() === word);
  return found;
}

/** What Tiphys lacks of each verb. */
function lacking(verb: string, flags: readonly string[]): readonly string[] | 'all' {
  const command = find(verb);
  if (!command) return 'all';
  const own = new Set(
    command.options.map((option) => (option.negate ? option.name().replace('no-', '') : option.name())),
  );
  return flags.filter((flag) => !own.has(flag) && !(groups.has(verb) && coreFlags.has(flag))).sort();
}

for (const [verb, flags] of recorded) {
  test(`tiphys ${verb} has the flags of argocd ${verb}`, () => {
    const allowed = leftOut.get(verb) ?? [];
    assert.deepEqual(lacking(verb, flags), allowed === 'all' ? allowed : [...allowed].sort());
  });
}

for (const [verb, { aliases = [], shorts = {}, output = [] }] of forms) {
  test(`tiphys ${verb} has the further words, letters and output forms of argocd ${verb}`, () => {
    const command = find(verb);
    assert.ok(command);
    const option = (name: string) => command.options.find(({ long }) => long === `--${name}`);
    assert.deepEqual(
      aliases.filter((alias) => !command.aliases().includes(alias)),
      [],
    );
    for (const [name, letter] of Object.entries(shorts)) assert.equal(option(name)?.short, `-${letter}`, name);
    const choices = option('output')?.argChoices ?? [];
    assert.deepEqual(
      output.filter((form) => !choices.includes(form)),
      [],
    );
  });
}
