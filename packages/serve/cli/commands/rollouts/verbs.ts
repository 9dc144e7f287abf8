import type { Command } from 'commander';
import type { Surroundings } from '../../terminal/command-context.ts';
import { version } from '../../terminal/version.ts';
import { addChangeVerbs } from './change-verbs.ts';
import { addCreateVerb } from './create-verb.ts';
import { addShowVerbs } from './show-verbs.ts';
import { type OpenCluster, VerbCommands } from './verb-command.ts';

/** Adds the verbs of `kubectl argo rollouts`, straight on the cluster. */
export function addRolloutVerbs(rollouts: Command, surroundings: Surroundings, open?: OpenCluster): void {
  rollouts
    .option('-n, --namespace <name>', "Namespace; the context's if absent")
    .option('--kubeconfig <file>', 'Kubeconfig (KUBECONFIG)')
    .option('--context <name>', 'Context of the kubeconfig');
  const verbs = new VerbCommands(surroundings, open);
  addShowVerbs(rollouts, verbs);
  addChangeVerbs(rollouts, verbs);
  addCreateVerb(rollouts, verbs);
  rollouts
    .command('version')
    .description('Tell the version')
    .option('--short', 'The version alone')
    .action(({ short }: { short?: boolean }) => {
      surroundings.output.out(`tiphys: v${version}`);
      if (!short)
        surroundings.output.out(`  Node: ${process.version}\n  Platform: ${process.platform}/${process.arch}`);
    });
  verbs.refuse(rollouts, 'dashboard', 'the web page of `tiphys up` shows Rollouts among the objects of an Application');
  verbs.refuse(
    rollouts,
    'lint',
    'tiphys rollouts simulate FILE reads a Rollout without a cluster and tells what is wrong',
  );
  verbs.refuse(rollouts, 'notifications', 'tiphys notifications has the same for what Tiphys sends');
  verbs.refuse(rollouts, 'completion', 'tiphys completion bash, zsh or fish');
}
