import type { SelfUpdate } from '@tiphys/self-management';
import { type Command, Option } from 'commander';
import { Exit, type Surroundings, sessionOf } from '../terminal/command-context.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import { paint, structured } from '../terminal/output.ts';
import { onCluster } from './common/on-cluster.ts';

interface Options {
  readonly namespace?: string;
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly output: 'wide' | 'json' | 'yaml';
}

type Shown = Partial<SelfUpdate> & { readonly words?: string };

/** `tiphys self …`: how Tiphys delivers new versions of itself, by its server or, where that does not answer, on the cluster. */
export function addSelfCommands(program: Command, surroundings: Surroundings): void {
  const self = program
    .command('self')
    .description('New versions of Tiphys that Tiphys delivers: proof, watch, way back');
  const commands = [
    self
      .command('status')
      .description('Where the last delivery stands, and what was found; exit code 1 if the version was not delivered')
      .action(async (options: Options, command: Command) => {
        const state = await ask(options, command, surroundings);
        print(state, options, surroundings);
        if (state.phase === 'Refused' || state.phase === 'TakenBack' || state.phase === 'TakingBack')
          throw new Exit(exitCodes.differences);
      }),
    self
      .command('accept')
      .description('Deliver a version although it judges applications in another way')
      .action(async (options: Options, command: Command) =>
        print(await ask(options, command, surroundings, 'accept'), options, surroundings),
      ),
    self
      .command('take-back')
      .description('Take the version that is being watched back')
      .action(async (options: Options, command: Command) =>
        print(await ask(options, command, surroundings, 'take-back'), options, surroundings),
      ),
  ];
  for (const command of commands)
    command
      .option('-n, --namespace <name>', 'Namespace of the control plane')
      .option('--kubeconfig <file>', 'Ask this cluster without a server')
      .option('--context <name>', 'Context of the kubeconfig')
      .addOption(
        new Option('-o, --output <format>', 'Output format').choices(['wide', 'json', 'yaml']).default('wide'),
      );
}

async function ask(
  { namespace, kubeconfig, context }: Options,
  command: Command,
  surroundings: Surroundings,
  answer?: 'accept' | 'take-back',
): Promise<Shown> {
  const { signal } = surroundings;
  if (kubeconfig === undefined && context === undefined) {
    const session = sessionOf(command, surroundings);
    const path = '/api/tiphys/v1/self-management';
    if (!answer) return await session.request<Shown>('GET', path, { signal });
    return await session.request<Shown>('POST', `${path}/${answer}`, { body: {}, signal });
  }
  const { answerDelivery, StateStore, words } = await import('@tiphys/self-management');
  const where = {
    ...(namespace ? { namespace } : {}),
    ...(kubeconfig ? { kubeconfig } : {}),
    ...(context ? { context } : {}),
    purpose: 'deliver Tiphys itself',
  };
  let shown: Shown = {};
  await onCluster(surroundings, where, async (cluster) => {
    const store = new StateStore(cluster.client, cluster.namespace);
    const state = answer ? await answerDelivery(store, answer) : await store.read();
    if (state) shown = { ...state, words: words(state) };
  });
  return shown;
}

function print(state: Shown, { output: format }: Options, { output }: Surroundings): void {
  if (format !== 'wide') {
    output.out(structured(format, state));
    return;
  }
  if (!state.phase) {
    output.out('Tiphys has not delivered itself yet');
    return;
  }
  const bad = ['Refused', 'TakingBack', 'TakenBack'].includes(state.phase);
  output.out(`${paint(output, bad ? 'red' : 'green', state.phase)}: ${state.to} is ${state.words}`);
  output.out(`  application: ${state.application}`);
  output.out(`  revision: ${state.revisions?.join(', ')}`);
  output.out(`  version before: ${state.from}`);
  output.out(`  since: ${state.startedAt}`);
  for (const { code, message } of state.findings ?? []) output.out(`  ${paint(output, 'red', code)}: ${message}`);
  for (const { application, running, candidate } of state.differences ?? [])
    output.out(`  ${paint(output, 'yellow', application)}: ${running} now, ${candidate} by the new version`);
  for (const note of state.notes ?? []) output.out(`  ${note}`);
  if (state.phase === 'AwaitingConfirmation') output.out('  → tiphys self accept, or commit another version');
  if (state.phase === 'Refused' || state.phase === 'TakenBack')
    output.out(`  → commit another version, or tiphys app release ${state.application}: then this one is proved again`);
}
