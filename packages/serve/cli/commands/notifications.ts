import { type Diagnosis, explainDiagnosis } from '@tiphys/diagnosis';
import { type Command, Option } from 'commander';
import { parseApplicationName } from '../client/application-api.ts';
import { type Surroundings, sessionOf } from '../terminal/command-context.ts';
import { structured } from '../terminal/output.ts';

interface Overview {
  readonly services: readonly { readonly name: string; readonly type: string }[];
  readonly problems: readonly Diagnosis[];
  readonly applications: readonly {
    readonly name: string;
    readonly namespace: string;
    readonly subscriptions: readonly {
      readonly trigger: string;
      readonly service: string;
      readonly recipient: string;
    }[];
    readonly waiting: readonly {
      readonly trigger: string;
      readonly service: string;
      readonly recipient: string;
      readonly at: string;
      readonly problem?: { readonly code: string; readonly message: string; readonly remedy?: string };
    }[];
  }[];
}

interface Attempt {
  readonly conditions?: readonly {
    readonly key: string;
    readonly triggered: boolean;
    readonly oncePer: string;
    readonly problem?: { readonly message: string };
  }[];
  readonly notification?: { readonly message: string; readonly sections: Readonly<Record<string, unknown>> };
}

const root = '/api/tiphys/v1/notifications';

/** `tiphys notifications …`: who is told what, and triggers and templates tried on an application. */
export function addNotificationCommands(program: Command, surroundings: Surroundings): void {
  const { output } = surroundings;
  const notifications = program.command('notifications').description('Triggers, subscriptions and deliveries');
  const format = new Option('-o, --output <format>', 'Output format').choices(['wide', 'json', 'yaml']).default('wide');
  const attempt = (command: Command, application: string, body: object): Promise<Attempt> => {
    const { name, appNamespace } = parseApplicationName(application);
    return sessionOf(command, surroundings).request<Attempt>('POST', `${root}/try`, {
      body: { application: name, appNamespace, ...body },
    });
  };

  notifications
    .command('list')
    .description('List subscriptions by application, and deliveries that wait')
    .addOption(format)
    .action(async (options, command) => {
      const overview = await sessionOf(command, surroundings).request<Overview>('GET', root);
      output.out(options.output === 'wide' ? wide(overview) : structured(options.output, overview));
    });

  notifications
    .command('catalog')
    .description('Print the triggers and templates that are there without being configured, as a ConfigMap to change')
    .option('--rollouts', 'Those of Rollouts')
    .action(async ({ rollouts }: { rollouts?: boolean }) => {
      const { applicationCatalogue, catalogueConfigMap, rolloutNotifications } = await import('@tiphys/notifications');
      const own = rolloutNotifications({ selfService: false });
      const configMap = rollouts
        ? catalogueConfigMap(own.catalogue, own.configMapName)
        : catalogueConfigMap(applicationCatalogue, 'argocd-notifications-cm');
      output.out(structured('yaml', configMap).trimEnd());
    });

  const trigger = notifications.command('trigger').description('Triggers');
  trigger
    .command('run <trigger> <application>')
    .description('Tell whether the conditions of a trigger hold for an application now')
    .action(async (name: string, application: string, _options, command) => {
      const { conditions = [] } = await attempt(command, application, { trigger: name });
      for (const { key, triggered, oncePer, problem } of conditions)
        output.out(
          `${key}  ${triggered}${oncePer ? `  once per ${oncePer}` : ''}${problem ? `  ${problem.message}` : ''}`,
        );
    });

  const template = notifications.command('template').description('Templates');
  const toService = (command: Command): Command =>
    command
      .option('--service <name>', 'Service that it is for')
      .option('--recipient <name>', 'Whom it goes to; SERVICE:NAME, as argocd has it, without --service');
  toService(template.command('preview <template> <application>'))
    .description('Render a template for an application')
    .action(async (name: string, application: string, options, command) => {
      const { notification } = await attempt(command, application, { template: name, ...receiver(options) });
      output.out(structured('yaml', notification ?? {}).trimEnd());
    });
  toService(template.command('notify <template> <application>'))
    .description('Send a template for an application, as a test')
    .action(async (name: string, application: string, options, command) => {
      const { service, recipient = '' } = receiver(options);
      if (!service) return command.error('error: name the receiver: --recipient SERVICE:NAME');
      await attempt(command, application, { template: name, service, recipient, send: true });
      return output.out(`sent ${name} to ${service}:${recipient}`);
    });
}

interface Receiver {
  readonly service?: string;
  readonly recipient?: string;
}

/** What comes before the first colon of a recipient is its service, where no other is named. */
function receiver({ service, recipient }: Receiver): Receiver {
  if (service || !recipient) return { ...(service ? { service } : {}), ...(recipient ? { recipient } : {}) };
  const [name = '', ...rest] = recipient.split(':');
  return { service: name, recipient: rest.join(':') };
}

function wide({ services, problems, applications }: Overview): string {
  const lines = [
    `services: ${services.map(({ name, type }) => (name === type ? name : `${name} (${type})`)).join(', ') || '(none)'}`,
  ];
  for (const problem of problems) lines.push(`${problem.code}: ${explainDiagnosis(problem)}`);
  for (const { namespace, name, subscriptions, waiting } of applications) {
    lines.push('', `${namespace}/${name}`);
    for (const { trigger, service, recipient } of subscriptions) lines.push(`  ${trigger} → ${service}:${recipient}`);
    for (const { trigger, service, recipient, at, problem } of waiting)
      lines.push(
        `  waits since ${at}: ${trigger} → ${service}:${recipient}${problem ? ` (${problem.code}: ${problem.message})` : ''}${problem?.remedy ? `\n    → ${problem.remedy}` : ''}`,
      );
  }
  return lines.join('\n');
}
