import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { MemoryCluster } from '@tiphys/controller';
import type { Client, KubeObject } from '@tiphys/kubernetes';
import { Command, CommanderError } from 'commander';
import { Exit } from '../../terminal/command-context.ts';
import { addRolloutVerbs } from './verbs.ts';

const apiVersion = 'argoproj.io/v1alpha1';

function objectOf(kind: string, fields: Record<string, unknown> = {}): KubeObject {
  return { apiVersion, kind, metadata: { name: 'web', namespace: 'shop' }, ...fields };
}

function rolloutIn(status: Record<string, unknown>): KubeObject {
  const template = { spec: { containers: [{ name: 'web', image: 'web:1' }] } };
  return objectOf('Rollout', { spec: { strategy: { canary: { steps: [{ pause: {} }] } }, template }, status });
}

const pausedStatus = { phase: 'Paused', message: 'CanaryPauseStep', pauseConditions: [{ reason: 'CanaryPauseStep' }] };

/** A cluster in memory, and commands on it. */
class Stage {
  readonly cluster = new MemoryCluster();
  readonly workdir = mkdtempSync(join(tmpdir(), 'rollouts-'));
  readonly said: string[] = [];
  readonly errors: string[] = [];
  /** What a watch tells, one after the other. */
  changes: KubeObject[] = [];

  constructor(...objects: KubeObject[]) {
    for (const object of objects) this.cluster.put(object);
  }

  async run(...argv: string[]): Promise<number> {
    const { workdir, said, errors } = this;
    const output = {
      out: (text: string) => void said.push(text),
      error: (text: string) => void errors.push(text),
      colours: false,
    };
    const signal = new AbortController().signal;
    const surroundings = { output, workdir, signal, env: {}, askPassword: async () => undefined };
    const program = new Command('tiphys').exitOverride().configureOutput({ writeErr: output.error });
    const client = Object.assign(this.cluster.client, { watch: this.#watch }) as Client;
    addRolloutVerbs(program.command('rollouts'), surroundings, async (_, { namespace = 'default' }, work) =>
      work({ client, namespace }),
    );
    try {
      await program.parseAsync(['rollouts', ...argv], { from: 'user' });
      return 0;
    } catch (error) {
      if (error instanceof Exit) return error.code;
      if (error instanceof CommanderError) return error.exitCode;
      throw error;
    }
  }

  #watch = async function* (this: Stage, _: unknown, { signal }: { signal: AbortSignal }) {
    const version = { resourceVersion: '1000' };
    for (const object of this.changes)
      yield { type: 'MODIFIED', object: { ...object, metadata: { ...object.metadata, ...version } } };
    await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  }.bind(this);
}

const inShop = ['-n', 'shop'];

test('verbs say what they did in the words of the plugin', async () => {
  const stage = new Stage(rolloutIn(pausedStatus), objectOf('Experiment'), objectOf('AnalysisRun'));
  const lines = [
    [['promote', 'web'], "rollout 'web' promoted"],
    [['promote', 'web', '--full'], "rollout 'web' fully promoted"],
    [['abort', 'web'], "rollout 'web' aborted"],
    [['retry', 'rollout', 'web'], "rollout 'web' retried"],
    [['retry', 'ro', 'web'], "rollout 'web' retried"],
    [['retry', 'experiment', 'web'], "experiment 'web' retried"],
    [['pause', 'web'], "rollout 'web' paused"],
    [['restart', 'web', '--in', '10s'], "rollout 'web' restarts in 10s"],
    [['restart', 'web'], "rollout 'web' restarts in 0s"],
    [['terminate', 'analysisrun', 'web'], "analysisRun 'web' terminated"],
    [['terminate', 'exp', 'web'], "experiment 'web' terminated"],
    [['set', 'image', 'web', 'web=web:2'], 'rollout "web" image updated'],
  ] as const;
  for (const [argv, said] of lines) {
    assert.equal(await stage.run(...argv, ...inShop), 0, stage.errors.join('\n'));
    assert.equal(stage.said.at(-1), said);
  }
  assert.equal(await stage.run(...inShop, 'abort', 'web', 'other'), 1);
  assert.equal(stage.said.at(-1), "rollout 'web' aborted");
  assert.match(stage.errors.at(-1) ?? '', /NotFound/);
});

test('status ends with the phase, and fails unless the Rollout is Healthy', async () => {
  const stage = new Stage(rolloutIn(pausedStatus));
  assert.equal(await stage.run('status', 'web', '--watch=false', ...inShop), 0);
  assert.equal(stage.said.at(-1), 'Paused - CanaryPauseStep');
  assert.equal(await stage.run('status', 'web', '--timeout', '1ms', ...inShop), 1);
  assert.equal(stage.errors.at(-1), 'Error: Rollout status watch exceeded timeout');
  stage.changes = [rolloutIn({ phase: 'Healthy' })];
  assert.equal(await stage.run('status', 'web', ...inShop), 0);
  assert.equal(stage.said.at(-1), 'Healthy');
  stage.changes = [rolloutIn({ phase: 'Degraded', message: 'RolloutAborted: by hand' })];
  assert.equal(await stage.run('status', '--watch', 'web', ...inShop), 1);
  assert.equal(stage.said.at(-1), 'Degraded - RolloutAborted: by hand');
  const message = 'Error: The rollout is in a degraded state with message: RolloutAborted: by hand';
  assert.equal(stage.errors.at(-1), message);
  assert.equal(await stage.run('status', ...inShop), 1);
});

test('list has the columns of the plugin, and tells when there is nothing', async () => {
  const stage = new Stage(rolloutIn({ ...pausedStatus, currentStepIndex: 0, replicas: 3, readyReplicas: 2 }));
  assert.equal(await stage.run('list', 'rollouts', ...inShop), 0);
  assert.deepEqual(stage.said.at(-1)?.split('\n'), [
    'NAME  STRATEGY  STATUS  STEP  SET-WEIGHT  READY  DESIRED  UP-TO-DATE  AVAILABLE',
    'web   Canary    Paused  0/1   0           2/3    1        0           0',
  ]);
  assert.equal(await stage.run('list', 'ro', '-A'), 0);
  assert.match(stage.said.at(-1) ?? '', /^NAMESPACE {2}NAME .*\nshop {7}web /);
  assert.equal(await stage.run('list', 'experiments'), 0);
  assert.equal(stage.errors.at(-1), 'No resources found.');
});

test('get shows a Rollout once, or until it is gone', async () => {
  const stage = new Stage(rolloutIn(pausedStatus));
  assert.equal(await stage.run('get', 'rollout', 'web', ...inShop), 0);
  assert.match(stage.said.at(-1) ?? '', /^Name: {12}web\n.*\n⟳ web {2}Rollout {2}॥ Paused/s);
  assert.equal(await stage.run('get', 'rollout', 'web', '-w', '--timeout-seconds', '0.001', ...inShop), 0);
  assert.equal(await stage.run('get', 'experiment', 'web', ...inShop), 1);
});

test('create reads files, and tells what it made', async () => {
  const stage = new Stage();
  writeFileSync(join(stage.workdir, 'a.yaml'), JSON.stringify(rolloutIn({})));
  writeFileSync(join(stage.workdir, 'b.yaml'), 'apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n');
  assert.equal(await stage.run('create', '-f', 'a.yaml'), 0);
  assert.equal(stage.said.at(-1), 'rollout.argoproj.io/web created');
  assert.equal(await stage.run('create', '-f', 'b.yaml'), 1);
  assert.match(stage.errors.at(-1) ?? '', /creates of v1\/Pod unsupported/);
  assert.equal(await stage.run('create', '-f', 'none.yaml'), 1);
  assert.match(stage.errors.at(-1) ?? '', /none\.yaml cannot be read/);
  assert.equal(await stage.run('create'), 1);
});

test('what is left out is refused by name, and wrong usage is told', async () => {
  const stage = new Stage(rolloutIn(pausedStatus));
  for (const argv of [['dashboard', '-p', '3100'], ['lint', '-f', 'a'], ['notifications', 'trigger'], ['completion']]) {
    assert.equal(await stage.run(...argv), 1);
    assert.match(stage.errors.at(-1) ?? '', new RegExp(`no command ${argv[0]}`));
  }
  assert.equal(await stage.run('create', 'analysisrun', '--from', 'a'), 1);
  assert.match(stage.errors.at(-1) ?? '', /no command create analysisrun/);
  for (const argv of [['restart', 'web', '--in', 'soon'], ['undo', 'web', '--to-revision', 'x'], ['promote']])
    assert.equal(await stage.run(...argv), 1);
  assert.equal(await stage.run('set', 'image', 'web', 'web', ...inShop), 1);
  assert.match(stage.errors.at(-1) ?? '', /is not CONTAINER=IMAGE/);
});
