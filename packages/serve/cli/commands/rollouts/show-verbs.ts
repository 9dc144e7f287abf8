import type { AnalysisRun } from '@tiphys/analysis';
import { type Experiment, type Rollout, rolloutNames } from '@tiphys/api';
import type { Diagnosis } from '@tiphys/diagnosis';
import type { KubeObject } from '@tiphys/kubernetes';
import type { Description, Relatives } from '@tiphys/rollouts';
import type { Command } from 'commander';
import { type Output, paint, table } from '../../terminal/output.ts';
import { printFamilyDiagnoses } from '../common/family-diagnoses.ts';
import { follow } from './follow.ts';
import { type Delay, delay } from './go-flags.ts';
import { fail, type VerbCall, type VerbCommands } from './verb-command.ts';

const { apiVersion } = rolloutNames;

/** The verbs that show one object: get, status. */
export function addShowVerbs(rollouts: Command, verbs: VerbCommands): void {
  const get = rollouts.command('get').description('Show a Rollout or an Experiment with what belongs to it');
  for (const kind of ['Rollout', 'Experiment'] as const) {
    const command = verbs
      .add<GetOptions>(get, `${kind.toLowerCase()} <name>`, (call) => showObject(kind, call))
      .aliases(kind === 'Rollout' ? ['ro', 'rollouts'] : ['exp', 'experiments'])
      .description(`Show a tree of what belongs to the ${kind}`)
      .option('-w, --watch', 'Show it again as it changes')
      .option('--no-color', 'Without colours');
    if (kind === 'Rollout') command.option('--timeout-seconds <number>', 'End a watch after so many seconds', Number);
  }
  verbs
    .add<StatusOptions>(rollouts, 'status <rollout>', showStatus)
    .description('Wait for a Rollout to be Healthy or Degraded; the latter is a failure')
    .option('-w, --watch', 'Wait; with --watch=false, tell the status as it is', true)
    .option('-t, --timeout <duration>', 'How long to wait, such as 60s; without end if absent', delay);
}

const diagnosesOf = (object: KubeObject) =>
  (object.status as { diagnoses?: readonly Diagnosis[] } | undefined)?.diagnoses ?? [];

interface GetOptions {
  readonly watch?: boolean;
  readonly color: boolean;
  readonly timeoutSeconds?: number;
}

const relativeKinds = [
  { apiVersion: 'apps/v1', kind: 'ReplicaSet' },
  { apiVersion: 'v1', kind: 'Pod' },
  { apiVersion, kind: 'Experiment' },
  { apiVersion, kind: 'AnalysisRun' },
] as const;

/** `get`: once, or again and again. */
export async function showObject(kind: 'Rollout' | 'Experiment', call: VerbCall<GetOptions>): Promise<void> {
  const { describeExperiment, describeRollout } = await import('@tiphys/rollouts');
  const { client, namespace, args, options, signal } = call;
  const output = options.color ? call.output : { ...call.output, colours: false };
  const name = args[0] ?? '';
  const describe = (object: KubeObject, lists: readonly KubeObject[][]) => {
    const relatives = relativesOf(lists);
    return kind === 'Rollout'
      ? describeRollout(object as Rollout, relatives)
      : describeExperiment(object as Experiment, relatives);
  };
  const ref = { apiVersion, kind, namespace, name };
  const object = await client.get(ref);
  if (!options.watch) {
    const lists = await Promise.all(relativeKinds.map((each) => client.list({ ...each, namespace })));
    print(
      output,
      describe(
        object,
        lists.map(({ items }) => items),
      ),
    );
    return printFamilyDiagnoses(output, diagnosesOf(object));
  }
  const limit = options.timeoutSeconds ? [endsAfter(options.timeoutSeconds * 1000)] : [];
  await follow({
    client,
    refs: [ref, ...relativeKinds.map((each) => ({ ...each, namespace }))],
    signal: AbortSignal.any([signal, ...limit]),
    output,
    show: ([own, ...others]) => {
      const now = own?.get(namespace, name);
      if (!now) return true;
      if (output.colours) output.clear?.();
      print(
        output,
        describe(
          now,
          others.map((view) => [...view.list()]),
        ),
      );
      printFamilyDiagnoses(output, diagnosesOf(now));
      return false;
    },
  });
}

function relativesOf([
  replicaSets = [],
  pods = [],
  experiments = [],
  analysisRuns = [],
]: readonly KubeObject[][]): Relatives {
  return {
    replicaSets: replicaSets as unknown as Relatives['replicaSets'],
    pods,
    experiments: experiments as Experiment[],
    analysisRuns: analysisRuns as AnalysisRun[],
    now: Date.now(),
  };
}

const colours = { '✔': 'green', '✖': 'red', '⚠': 'red', '◌': 'blue', '◷': 'yellow' } as const;

function print(output: Output, { lines, rows }: Description): void {
  const text = `${lines.join('\n')}\n\n${table(rows)}`;
  output.out(text.replace(/[✔✖⚠◌◷]/g, (icon) => paint(output, colours[icon as keyof typeof colours], icon)));
}

const longestTimer = 2 ** 31 - 1;

/** At once for less than nothing; a time longer than timers know (24 days) is taken as that. */
function endsAfter(milliseconds: number): AbortSignal {
  return AbortSignal.timeout(Math.min(Math.max(Math.ceil(milliseconds), 0), longestTimer));
}

interface StatusOptions {
  readonly watch: boolean;
  readonly timeout?: Delay;
}

/** `status`: waits for Healthy or Degraded; fails unless it is Healthy. */
export async function showStatus(call: VerbCall<StatusOptions>): Promise<void> {
  const { phaseLine, shownPhase } = await import('@tiphys/rollouts');
  const { client, namespace, args, options, output, signal } = call;
  const name = args[0] ?? '';
  const ref = { apiVersion, kind: 'Rollout', namespace, name };
  let phase = shownPhase(await client.get<Rollout>(ref));
  const isOver = () => phase.phase === 'Healthy' || phase.phase === 'Degraded';
  if (!options.watch) output.out(isOver() ? phase.phase : phaseLine(phase));
  else {
    let last = '';
    const limit = options.timeout?.milliseconds ? [endsAfter(options.timeout.milliseconds)] : [];
    const show = (object: KubeObject | undefined) => {
      if (!object) return true;
      phase = shownPhase(object as Rollout);
      const text = phaseLine(phase);
      if (text !== last) output.out(text);
      last = text;
      return isOver();
    };
    await follow({
      client,
      refs: [ref],
      signal: AbortSignal.any([signal, ...limit]),
      output,
      show: ([view]) => show(view?.get(namespace, name)),
    });
  }
  if (phase.phase === 'Degraded') fail(call, `The rollout is in a degraded state with message: ${phase.message}`);
  if (phase.phase !== 'Healthy' && options.watch) fail(call, 'Rollout status watch exceeded timeout');
}
