import type { Command } from 'commander';
import type { Surroundings } from './terminal/command-context.ts';

/** Commands that are loaded together, and what the help of `tiphys` says of each without loading it. */
export interface CommandGroup {
  readonly commands: readonly {
    /** As commander takes it: name and arguments. */
    readonly usage: string;
    readonly description: string;
    readonly alias?: string;
    /** Whether it has options of its own. */
    readonly options?: boolean;
  }[];
  readonly load: () => Promise<(program: Command, surroundings: Surroundings) => void>;
}

/** All commands but those that are another tool's, in the order of the help. A test holds it against the commands themselves. */
export const commandGroups: readonly CommandGroup[] = [
  {
    commands: [
      {
        usage: 'up',
        description:
          'Start everything in this process: sandbox Kubernetes, controllers, API and web page; or with --role a part',
        options: true,
      },
    ],
    load: async () => (await import('./commands/up.ts')).addUpCommand,
  },
  {
    commands: [
      {
        usage: 'plugin-server',
        description: 'Serve a config-management plugin on a unix socket, in the place of argocd-cmp-server',
        options: true,
      },
    ],
    load: async () => (await import('./commands/plugin-server.ts')).addPluginServerCommand,
  },
  {
    commands: [
      {
        usage: 'login [server]',
        description: 'Log in to a server and keep the session for later commands',
        options: true,
      },
      { usage: 'relogin', description: 'Log in again to the server that is used, in the way of before', options: true },
    ],
    load: async () => (await import('./commands/login.ts')).addLoginCommand,
  },
  {
    commands: [
      {
        usage: 'context [server]',
        description: 'Show the servers that are logged in to, or switch to one',
        alias: 'ctx',
        options: true,
      },
      { usage: 'logout [server]', description: 'End the session of a server' },
      { usage: 'configure', description: 'Keep settings of the command line', options: true },
      { usage: 'version', description: 'Print the versions of the command line and of the server', options: true },
    ],
    load: async () => (await import('./commands/session.ts')).addSessionCommands,
  },
  {
    commands: [
      {
        usage: 'history',
        description:
          'What was decided about applications, and who asked for it: syncs with their patches, drift, quarantine',
        options: true,
      },
    ],
    load: async () => (await import('./commands/history.ts')).addHistoryCommand,
  },
  {
    commands: [
      {
        usage: 'preview',
        description: 'What merging a revision into another would change of the manifests of each application',
        options: true,
      },
    ],
    load: async () => (await import('./commands/preview.ts')).addPreviewCommand,
  },
  {
    commands: [
      {
        usage: 'promote <name>',
        description:
          'Commit to the sources of another application what this one delivers, once it was shown what that changes',
        options: true,
      },
    ],
    load: async () => (await import('./commands/promote.ts')).addPromoteCommand,
  },
  {
    commands: [{ usage: 'app', description: 'Manage applications' }],
    load: async () => (await import('./commands/app/app.ts')).addApplicationCommands,
  },
  {
    commands: [
      {
        usage: 'workflows',
        alias: 'wf',
        description: 'Workflows: submit, list, get, stop, retry, lint, simulate, archive',
      },
    ],
    load: async () => (await import('./commands/workflows/workflows.ts')).addWorkflowCommands,
  },
  {
    commands: [{ usage: 'events', description: 'Argo Events: what becomes of events, and why' }],
    load: async () => (await import('./commands/events.ts')).addEventsCommands,
  },
  {
    commands: [{ usage: 'appset', description: 'Manage ApplicationSets' }],
    load: async () => (await import('./commands/appset/appset.ts')).addApplicationSetCommands,
  },
  {
    commands: [{ usage: 'proj', description: 'Manage projects', alias: 'project' }],
    load: async () => (await import('./commands/project/project.ts')).addProjectCommands,
  },
  {
    commands: [{ usage: 'repo', description: 'Manage repositories' }],
    load: async () => (await import('./commands/repository.ts')).addRepositoryCommands,
  },
  {
    commands: [{ usage: 'repocreds', description: 'Manage credentials of many repositories' }],
    load: async () => (await import('./commands/repocreds.ts')).addRepositoryCredentialCommands,
  },
  {
    commands: [{ usage: 'cert', description: 'Manage certificates and host keys of repository servers' }],
    load: async () => (await import('./commands/cert.ts')).addCertificateCommands,
  },
  {
    commands: [{ usage: 'gpg', description: 'Manage the keys that commits are verified with' }],
    load: async () => (await import('./commands/gpg.ts')).addGpgCommands,
  },
  {
    commands: [{ usage: 'cluster', description: 'Manage clusters' }],
    load: async () => (await import('./commands/cluster/cluster.ts')).addClusterCommands,
  },
  {
    commands: [{ usage: 'account', description: 'Manage accounts' }],
    load: async () => (await import('./commands/account.ts')).addAccountCommands,
  },
  {
    commands: [
      { usage: 'rollouts', description: 'Rollouts: get, promote, abort, undo …, and simulate', options: true },
    ],
    load: async () => (await import('./commands/rollouts/rollouts.ts')).addRolloutsCommands,
  },
  {
    commands: [{ usage: 'notifications', description: 'Triggers, subscriptions and deliveries' }],
    load: async () => (await import('./commands/notifications.ts')).addNotificationCommands,
  },
  {
    commands: [{ usage: 'upgrade', description: 'What an upgrade of Kubernetes will break, and for whom' }],
    load: async () => (await import('./commands/upgrade.ts')).addUpgradeCommands,
  },
  {
    commands: [{ usage: 'self', description: 'New versions of Tiphys that Tiphys delivers: proof, watch, way back' }],
    load: async () => (await import('./commands/self.ts')).addSelfCommands,
  },
  {
    commands: [
      {
        usage: 'takeover',
        description: 'Take a running Argo CD over: judge its applications, stop its processes; or back with --undo',
        options: true,
      },
    ],
    load: async () => (await import('./commands/takeover.ts')).addTakeoverCommand,
  },
  {
    commands: [{ usage: 'admin', description: 'Backup, restore and the first password, on the cluster itself' }],
    load: async () => (await import('./commands/admin.ts')).addAdminCommands,
  },
];

/** Adds the groups of which a word is a command, and of the others what the help says; all of them with `everything`. */
export async function addCommands(
  program: Command,
  surroundings: Surroundings,
  { words, everything }: { words: readonly string[]; everything: boolean },
): Promise<void> {
  for (const { commands, load } of commandGroups) {
    const wanted =
      everything || commands.some(({ usage, alias }) => words.some((word) => word === alias || word === nameOf(usage)));
    if (wanted) (await load())(program, surroundings);
    else
      for (const { usage, description, alias, options } of commands) {
        const command = program.command(usage).description(description);
        if (alias) command.alias(alias);
        if (options) command.option('--options');
      }
  }
}

function nameOf(usage: string): string {
  return usage.split(' ')[0] as string;
}
