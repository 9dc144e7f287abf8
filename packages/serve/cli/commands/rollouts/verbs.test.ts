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
  ends = new AbortController().signal;

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
    const signal = this.ends;
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
    [['set', 'image', 'web', '*=web:3', 'web=web:4'], 'rollout "web" image updated'],
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
    'NAME        STRATEGY   STATUS        STEP  SET-WEIGHT  READY  DESIRED  UP-TO-DATE  AVAILABLE',
    'web         Canary     Paused        0/1   0           2/3    1        0           0        ',
  ]);
  assert.equal(await stage.run('list', 'ro', '-A'), 0);
  assert.match(stage.said.at(-1) ?? '', /^NAMESPACE {2}NAME .*\nshop {7}web /);
  assert.equal(await stage.run('list', 'ro', '--name', 'other', ...inShop), 0);
  assert.equal(stage.errors.pop(), 'No resources found.');
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

test('list goes on with a line for each Rollout that changes', async () => {
  const stage = new Stage(rolloutIn(pausedStatus));
  stage.changes = [rolloutIn({ phase: 'Healthy' }), rolloutIn({ phase: 'Healthy', message: 'no column' })];
  const end = new AbortController();
  stage.ends = end.signal;
  const running = stage.run('list', 'rollouts', '-w', '--timestamps', ...inShop);
  while (stage.said.length < 2) await new Promise((resolve) => setImmediate(resolve));
  end.abort();
  assert.equal(await running, 0);
  assert.match(stage.said[0] ?? '', /^TIMESTAMP {13}NAME .*\n\d{4}-\d\d-\d\dT[\d:]{8}Z {2}web .* Paused /);
  assert.match(stage.said[1] ?? '', /^\d{4}-\d\d-\d\dT[\d:]{8}Z {2}web .* Healthy /);
});

test('lint tells what is wrong with Rollouts and what they refer to in a file, without a cluster', async () => {
  const stage = new Stage();
  const write = (...objects: object[]) =>
    writeFileSync(join(stage.workdir, 'r.yaml'), objects.map((object) => JSON.stringify(object)).join('\n---\n'));
  const lint = () => stage.run('lint', '-f', 'r.yaml');
  const labels = { app: 'web' };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'web:1' }] } };
  const rollout = (canary: object) =>
    objectOf('Rollout', { spec: { selector: { matchLabels: labels }, template, strategy: { canary } } });
  const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'stable' }, spec: { selector: { app: 'w' } } };
  write(rollout({ steps: [{ setWeight: 20 }] }), service);
  assert.equal(await lint(), 0, stage.errors.join());
  write(rollout({ maxSurge: 0, maxUnavailable: 0 }));
  assert.equal(await lint(), 1);
  const sentence = 'Invalid value: 0: MaxSurge and MaxUnavailable both can not be zero';
  assert.deepEqual([stage.said, stage.errors], [[sentence], [`Error: spec.strategy.maxSurge: ${sentence}`]]);
  write(rollout({ stableService: 'stable' }), service);
  assert.equal(await lint(), 1);
  assert.equal(stage.said.at(-1), 'Invalid value: "stable": Service "stable" has unmatch label "app" in rollout');
  write(rollout({ stps: [] }));
  assert.equal(await lint(), 1);
  assert.deepEqual(stage.errors.slice(-2), [
    'unknown field: spec.strategy.canary.stps',
    'Error: error unmarshaling JSON: while decoding JSON: json: unknown field "stps"',
  ]);
  const istio = { virtualService: { name: 'routes', routes: ['primary'] } };
  const routed = { canaryService: 'canary', stableService: 'stable', trafficRouting: { istio } };
  const http = [{ name: 'primary', route: [{ destination: { host: 'stable' } }] }];
  const routes = {
    apiVersion: 'networking.istio.io/v1',
    kind: 'VirtualService',
    metadata: { name: 'routes' },
    spec: { http },
  };
  write(rollout(routed), routes);
  assert.equal(await lint(), 1);
  assert.match(stage.said.at(-1) ?? '', /invalid HTTP routes\. Error: Canary Service 'canary' not found in route$/);
  assert.equal(await stage.run('lint', '-f', 'none.yaml'), 1);
});

test('create analysisrun makes a run of a template of the cluster or of a file', async () => {
  const metrics = [{ name: 'm', provider: {} }];
  const spec = { metrics, args: [{ name: 'x' }, { name: 'z', value: '1' }] };
  const stage = new Stage(objectOf('AnalysisTemplate', { spec }));
  writeFileSync(
    join(stage.workdir, 't.yaml'),
    JSON.stringify(objectOf('ClusterAnalysisTemplate', { spec: { metrics } })),
  );
  const made = (name: string) =>
    stage.cluster.object({ apiVersion, kind: 'AnalysisRun', namespace: 'shop', name }) as KubeObject & typeof made;
  const create = (...argv: string[]) => stage.run('create', 'analysisrun', ...argv, ...inShop);
  assert.equal(await create('--from', 'web', '-a', 'x=a=b', '-a', 'other=1', '--name', 'r', '--instance-id', 'i'), 0);
  assert.equal(stage.said.at(-1), 'analysisrun.argoproj.io/r created');
  assert.deepEqual(made('r').spec, {
    metrics,
    args: [
      { name: 'x', value: 'a=b' },
      { name: 'z', value: '1' },
    ],
  });
  assert.deepEqual(made('r').metadata.labels, { 'argo-rollouts.argoproj.io/controller-instance-id': 'i' });
  assert.equal(await create('--from-file', 't.yaml', '--name', 's'), 0);
  assert.deepEqual(made('s').spec, { metrics });
  for (const [argv, said] of [
    [['--from', 'web', '--name', 'q'], /args\.x was not resolved/],
    [[], /one of --from or --from-file must be specified/],
    [['--from', 'web', '-a', 'x'], /arguments must be in the form NAME=VALUE/],
    [['--from', 'none'], /analysistemplates\.argoproj\.io "none" not found/],
  ] as const) {
    assert.equal(await create(...argv), 1);
    assert.match(stage.errors.at(-1) ?? '', said);
  }
});

test('notifications shows what is configured, asks triggers and renders templates', async () => {
  const stage = new Stage(rolloutIn({ phase: 'Healthy' }));
  const metadata = { name: 'argo-rollouts-notification-configmap', namespace: 'shop' };
  const data = {
    'trigger.on-done': "- when: rollout.status.phase == 'Healthy'\n  send: [done]\n- when: 'false'\n  send: [done]",
    'template.done': 'message: "{{.rollout.metadata.name}} is done"',
  };
  stage.cluster.put({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data });
  const run = (...argv: string[]) => stage.run('notifications', ...argv, '--secret', ':empty', ...inShop);
  assert.equal(await run('trigger', 'get'), 0, stage.errors.join());
  assert.equal(
    stage.said.at(-1),
    "NAME     TEMPLATE  CONDITION\non-done  done      rollout.status.phase == 'Healthy'\n         done      false",
  );
  assert.equal(await run('trigger', 'run', 'on-done', 'web'), 0);
  assert.equal(
    stage.said.at(-1),
    "CONDITION                          RESULT\nrollout.status.phase == 'Healthy'  true\nfalse                              false",
  );
  assert.equal(await run('template', 'get', 'done', '-o', 'yaml'), 0);
  assert.equal(stage.said.at(-1), "done:\n  message: '{{.rollout.metadata.name}} is done'");
  assert.equal(await run('template', 'notify', 'done', 'web'), 0);
  assert.equal(stage.said.at(-1), 'message: web is done');
  for (const [argv, said] of [
    [['trigger', 'run', 'none', 'web'], /trigger with name 'none' does not exist \(found on-done\)/],
    [['template', 'notify', 'none', 'web'], /There is no template none/],
    [['template', 'notify', 'done', 'web', '--recipient', 'slack:ops'], /There is no service slack/],
    [['trigger', 'get', '--config-map', 'none.yaml'], /none\.yaml cannot be read/],
  ] as const) {
    assert.equal(await run(...argv), 1);
    assert.match(stage.errors.at(-1) ?? '', said);
  }
});

test('the dashboard is served until it is stopped, and a port that is taken is told', async () => {
  const stage = new Stage(rolloutIn(pausedStatus));
  const stop = new AbortController();
  stage.ends = stop.signal;
  const served = Promise.withResolvers<string>();
  const running = stage.run('dashboard', '--port', '0', '--root-path', '/ro/');
  stage.said.push = (...texts: string[]) => {
    served.resolve(/http:\S+/.exec(texts.join())?.[0] ?? '');
    return 0;
  };
  const url = new URL(await served.promise);
  assert.match(url.href, /^http:\/\/127\.0\.0\.1:\d+\/ro\/$/);
  assert.match(await (await fetch(new URL('api/v1/version', url))).text(), /rolloutsVersion/);
  assert.equal(await new Stage().run('dashboard', '--port', url.port), 1);
  stop.abort();
  assert.equal(await running, 0);
  assert.equal(await new Stage().run('dashboard', '--port', 'many'), 1);
});

test('wrong usage is told', async () => {
  const stage = new Stage(rolloutIn(pausedStatus));
  assert.equal(await stage.run('completion', 'ksh'), 1);
  for (const argv of [['restart', 'web', '--in', 'soon'], ['undo', 'web', '--to-revision', 'x'], ['promote']])
    assert.equal(await stage.run(...argv), 1);
  assert.equal(await stage.run('set', 'image', 'web', 'web', ...inShop), 1);
  assert.equal(await stage.run('set', 'image', 'web', 'web=web:2', 'side', ...inShop), 1);
  assert.match(stage.errors.at(-1) ?? '', /side is not CONTAINER=IMAGE/);
  assert.match(stage.errors.at(-1) ?? '', /is not CONTAINER=IMAGE/);
});

/** Ends a command that goes on once it has said something for the n-th time. */
async function endAfter(stage: Stage, times: number, ...argv: string[]): Promise<number> {
  const end = new AbortController();
  stage.ends = end.signal;
  const { promise, resolve } = Promise.withResolvers<void>();
  const { push } = stage.said;
  stage.said.push = (...texts: string[]) => {
    const length = push.apply(stage.said, texts);
    if (length >= times) resolve();
    return length;
  };
  const running = stage.run(...argv);
  await Promise.race([promise, running]);
  end.abort();
  return running;
}

test('get and create show an Experiment and a Rollout as they change', async () => {
  const experiment = (phase: string) => objectOf('Experiment', { spec: { templates: [] }, status: { phase } });
  const shown = new Stage(experiment('Pending'));
  shown.changes = [experiment('Running')];
  assert.equal(await endAfter(shown, 2, 'get', 'exp', 'web', '-w', '--no-color', ...inShop), 0, shown.errors.join());
  assert.match(
    shown.said.at(-1) ?? '',
    /^Name: {12}web\n.*\nStatus: {10}◌ Running\n.*\nΣ web {2}Experiment {2}◌ Running/s,
  );
  for (const object of [experiment('Running'), rolloutIn(pausedStatus)]) {
    const stage = new Stage();
    writeFileSync(join(stage.workdir, 'a.yaml'), JSON.stringify(object));
    assert.equal(await endAfter(stage, 2, 'create', '-f', 'a.yaml', '-w'), 0, stage.errors.join());
    assert.equal(stage.said[0], `${object.kind.toLowerCase()}.argoproj.io/web created`);
    assert.match(stage.said[1] ?? '', /^Name: {12}web\nNamespace: {7}shop\n/);
  }
});

test('create makes nothing of several objects that it cannot watch', async () => {
  const stage = new Stage();
  writeFileSync(join(stage.workdir, 'a.yaml'), JSON.stringify(rolloutIn({})));
  writeFileSync(join(stage.workdir, 'b.yaml'), JSON.stringify(objectOf('Experiment', { spec: {} })));
  assert.equal(await stage.run('create', '-f', 'a.yaml', '-f', 'b.yaml', '--watch'), 1);
  assert.deepEqual([stage.said, stage.errors], [[], ['Error: Cannot watch multiple resources']]);
  const template = objectOf('AnalysisTemplate', { spec: { metrics: [] } });
  writeFileSync(join(stage.workdir, 't.yaml'), JSON.stringify(template));
  assert.equal(await stage.run('create', '-f', 't.yaml', '-w'), 1);
  assert.equal(stage.errors.at(-1), 'Error: Can only watch resources of type Rollout or Experiment');
});

test('flags without a value may be given one, as Go takes them, and durations are those of Go', async () => {
  const stage = new Stage(rolloutIn(pausedStatus));
  const last = async (...argv: string[]) => {
    assert.equal(await stage.run(...argv, ...inShop), 0, stage.errors.join());
    return stage.said.at(-1);
  };
  assert.equal(await last('promote', 'web', '--full=true'), "rollout 'web' fully promoted");
  assert.equal(await last('promote', 'web', '--full=F'), "rollout 'web' promoted");
  assert.equal(await last('status', 'web', '-w=false', '--insecure-skip-tls-verify=0'), 'Paused - CanaryPauseStep');
  assert.match((await last('list', 'ro', '-A=1', '--watch=false')) ?? '', /^NAMESPACE/);
  assert.match((await last('version', '--short=true')) ?? '', /^tiphys: v/);
  assert.equal(await last('restart', 'web', '-i', '1.5h'), "rollout 'web' restarts in 1.5h");
  for (const timeout of ['-1s', '1.5ms', '0.1us'])
    assert.equal(await stage.run('status', 'web', `--timeout=${timeout}`, ...inShop), 1);
  assert.equal(stage.errors.at(-1), 'Error: Rollout status watch exceeded timeout');
  assert.equal(await stage.run('promote', 'web', '--full=perhaps', ...inShop), 1);
  assert.match(stage.errors.at(-1) ?? '', /'--full' argument 'perhaps' is invalid/);
  assert.equal(await stage.run('abort', 'web', '--request-timeout', 'soon', ...inShop), 1);
  assert.match(stage.errors.at(-1) ?? '', /It is no duration, such as 5s/);
});
