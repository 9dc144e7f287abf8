import type { Command } from 'commander';
import type { Surroundings } from '../../terminal/command-context.ts';
import { version } from '../../terminal/version.ts';
import { addKubeFlags } from '../common/kube-flags.ts';
import { addCompletionCommand } from '../completion.ts';
import { addChangeVerbs } from './change-verbs.ts';
import { addCreateVerb } from './create-verb.ts';
import { addDashboardVerb } from './dashboard-verb.ts';
import { withGoFlags } from './go-flags.ts';
import { addLintVerb } from './lint-verb.ts';
import { addListVerbs } from './list-verbs.ts';
import { addNotificationVerbs } from './notification-verbs.ts';
import { addShowVerbs } from './show-verbs.ts';
import { type OpenCluster, VerbCommands } from './verb-command.ts';

/** Adds the verbs of `kubectl argo rollouts`, straight on the cluster. */
export function addRolloutVerbs(rollouts: Command, surroundings: Surroundings, open?: OpenCluster): void {
  withGoFlags(addKubeFlags(rollouts));
  const verbs = new VerbCommands(surroundings, open);
  addListVerbs(rollouts, verbs);
  addShowVerbs(rollouts, verbs);
  addChangeVerbs(rollouts, verbs);
  addCreateVerb(rollouts, verbs);
  addLintVerb(rollouts, verbs, surroundings);
  withGoFlags(rollouts.command('version'))
    .description('Tell the version')
    .option('--short', 'The version alone')
    .action(({ short }: { short?: boolean }) => {
      surroundings.output.out(`tiphys: v${version}`);
      if (!short)
        surroundings.output.out(`  Node: ${process.version}\n  Platform: ${process.platform}/${process.arch}`);
    });
  addDashboardVerb(rollouts, verbs);
  addNotificationVerbs(rollouts, verbs);
  addCompletionCommand(rollouts, surroundings.output);
}
