import type { Promotion, VerbPatch, VerbTarget } from '@tiphys/rollouts';
import { type Command, InvalidArgumentError } from 'commander';
import { type Delay, delay } from './go-flags.ts';
import type { VerbCall, VerbCommands } from './verb-command.ts';

/** The verbs that change what is there: promote, abort, retry, pause, restart, undo, set image, terminate. */
export function addChangeVerbs(rollouts: Command, verbs: VerbCommands): void {
  addPromote(rollouts, verbs);
  addPatches(rollouts, verbs);
  addRestart(rollouts, verbs);
  addUndo(rollouts, verbs);
  addSetImage(rollouts, verbs);
}

function targetOf({ client, namespace, args }: VerbCall<unknown>): VerbTarget {
  return { client, namespace, name: args[0] ?? '' };
}

function addPromote(rollouts: Command, verbs: VerbCommands): void {
  verbs
    .add<Promotion>(rollouts, 'promote <rollout>', async (call) => {
      const { promoteRollout } = await import('@tiphys/rollouts');
      await promoteRollout(targetOf(call), call.options);
      call.output.out(`rollout '${call.args[0]}' ${call.options.full ? 'fully ' : ''}promoted`);
    })
    .description('Go on with a Rollout that is paused at a step or before its promotion')
    .option('--full', 'To the end at once, past analyses, pauses and steps')
    .option('-c, --skip-current-step', 'Past the step at hand; the same as without a flag where nothing is paused')
    .option('-a, --skip-all-steps', 'Past all steps; rather use --full');
}

interface PatchVerb {
  readonly usage: string;
  readonly aliases?: readonly string[];
  readonly description: string;
  readonly kind: 'Rollout' | 'Experiment' | 'AnalysisRun';
  readonly patch: 'abortPatch' | 'pausePatch' | 'retryRolloutPatch' | 'retryExperimentPatch' | 'terminatePatch';
  readonly said: (name: string) => string;
}

function addPatches(rollouts: Command, verbs: VerbCommands): void {
  const retry = rollouts.command('retry').description('Try an aborted Rollout or a failed Experiment again');
  const terminate = rollouts.command('terminate').description('End an AnalysisRun or an Experiment');
  const add = (parent: Command, { usage, aliases = [], description, kind, patch, said }: PatchVerb) =>
    verbs
      .add(parent, usage, async ({ client, namespace, args, output }) => {
        const { sendPatches, ...patches } = await import('@tiphys/rollouts');
        for (const name of args) {
          await sendPatches({ client, namespace, name }, kind, [patches[patch] as VerbPatch]);
          output.out(said(name));
        }
      })
      .aliases(aliases)
      .description(description);
  add(rollouts, {
    usage: 'abort <rollouts...>',
    description: 'End an update and go back to the stable pods; spec.template stays as it is',
    kind: 'Rollout',
    patch: 'abortPatch',
    said: (name) => `rollout '${name}' aborted`,
  });
  add(rollouts, {
    usage: 'pause <rollouts...>',
    description: 'Hold a Rollout (spec.paused)',
    kind: 'Rollout',
    patch: 'pausePatch',
    said: (name) => `rollout '${name}' paused`,
  });
  add(retry, {
    usage: 'rollout <rollouts...>',
    aliases: ['ro', 'rollouts'],
    description: 'Try an aborted Rollout again',
    kind: 'Rollout',
    patch: 'retryRolloutPatch',
    said: (name) => `rollout '${name}' retried`,
  });
  add(retry, {
    usage: 'experiment <experiments...>',
    aliases: ['exp', 'experiments'],
    description: 'Run an Experiment again from its start',
    kind: 'Experiment',
    patch: 'retryExperimentPatch',
    said: (name) => `experiment '${name}' retried`,
  });
  add(terminate, {
    usage: 'analysisrun <runs...>',
    aliases: ['ar', 'analysisruns'],
    description: 'End an AnalysisRun',
    kind: 'AnalysisRun',
    patch: 'terminatePatch',
    said: (name) => `analysisRun '${name}' terminated`,
  });
  add(terminate, {
    usage: 'experiment <experiments...>',
    aliases: ['exp', 'experiments'],
    description: 'End an Experiment',
    kind: 'Experiment',
    patch: 'terminatePatch',
    said: (name) => `experiment '${name}' terminated`,
  });
}

function addRestart(rollouts: Command, verbs: VerbCommands): void {
  verbs
    .add<{ in?: Delay }>(rollouts, 'restart <rollout>', async (call) => {
      const { restartPatch, sendPatches } = await import('@tiphys/rollouts');
      const { text, milliseconds } = call.options.in ?? { text: '0s', milliseconds: 0 };
      await sendPatches(targetOf(call), 'Rollout', [restartPatch(Date.now() + milliseconds)]);
      call.output.out(`rollout '${call.args[0]}' restarts in ${text}`);
    })
    .description('Replace the pods of a Rollout by others alike')
    .option('-i, --in <duration>', 'From when on, such as 30s, 5m or 1h; at once if absent', delay);
}

function addUndo(rollouts: Command, verbs: VerbCommands): void {
  verbs
    .add<{ toRevision: number }>(rollouts, 'undo <rollout>', async (call) => {
      const { undoRollout } = await import('@tiphys/rollouts');
      const { toRevision } = call.options;
      const isChanged = await undoRollout(targetOf(call), toRevision);
      call.output.out(
        isChanged
          ? `rollout '${call.args[0]}' undo`
          : `skipped rollback (current template already matches revision ${toRevision})`,
      );
    })
    .description('Put back the template of an earlier revision')
    .option('--to-revision <number>', 'Which; 0 is the one before', wholeNumber, 0);
}

function addSetImage(rollouts: Command, verbs: VerbCommands): void {
  const set = rollouts.command('set').description('Change a Rollout');
  verbs
    .add(set, 'image <rollout> <container=image...>', async (call) => {
      const { setImage } = await import('@tiphys/rollouts');
      const images = call.args.slice(1).map((given) => {
        const [container = '', image = ''] = given.split('=');
        return { container, image };
      });
      const { kind, metadata } = await setImage(targetOf(call), ...images);
      call.output.out(`${kind.toLowerCase()} "${metadata.name}" image updated`);
    })
    .description('Give containers other images, in one update; * is all containers')
    .hook('preAction', (command) => {
      for (const given of command.args.slice(1))
        if (!/^[^=]+=[^=]+$/.test(given))
          command.error(`error: ${given} is not CONTAINER=IMAGE, such as web=registry.example.com/web:2`);
    });
}

function wholeNumber(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('It is no whole number.');
  return Number(text);
}
