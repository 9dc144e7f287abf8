import { type Diagnosis, explainDiagnosis } from '@tiphys/diagnosis';
import { type Command, Option } from 'commander';
import { parseApplicationName } from '../client/application-api.ts';
import { type Surroundings, sessionOf } from '../terminal/command-context.ts';
import { structured } from '../terminal/output.ts';

interface NotifiedObject {
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
}

interface KindOverview {
  readonly kind: string;
  readonly configMap: string;
  readonly services: readonly { readonly name: string; readonly type: string }[];
  readonly problems: readonly Diagnosis[];
  readonly objects: readonly NotifiedObject[];
}

interface Overview {
  readonly kinds: readonly KindOverview[];
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

const kindNames = ['Application', 'ApplicationSet', 'Rollout', 'Workflow'];

/** `tiphys notifications …`: who is told what, and triggers and templates tried on an application. */
export function addNotificationCommands(program: Command, surroundings: Surroundings): void {
  const { output } = surroundings;
  const notifications = program.command('notifications').description('Triggers, subscriptions and deliveries');
  const format = new Option('-o, --output <format>', 'Output format').choices(['wide', 'json', 'yaml']).default('wide');
  const attempt = (command: Command, object: string, body: object): Promise<Attempt> => {
    const { name, appNamespace: namespace } = parseApplicationName(object);
    const { kind } = command.opts<{ kind: string }>();
    return sessionOf(command, surroundings).request<Attempt>('POST', `${root}/try`, {
      body: { kind, name, namespace, ...body },
    });
  };
  const ofKind = (command: Command): Command =>
    command.addOption(new Option('--kind <kind>', 'Kind of the object').choices(kindNames).default('Application'));

  notifications
    .command('list')
    .description('List subscriptions by object, and deliveries that wait')
    .addOption(format)
    .action(async (options, command) => {
      const overview = await sessionOf(command, surroundings).request<Overview>('GET', root);
      output.out(options.output === 'wide' ? wide(overview) : structured(options.output, overview));
    });

  notifications
    .command('catalog')
    .description('Print the triggers and templates that are there without being configured, as a ConfigMap to change')
    .option('--rollouts', 'Those of Rollouts')
    .option('--workflows', 'Those of Workflows')
    .action(async ({ rollouts, workflows }: { rollouts?: boolean; workflows?: boolean }) => {
      const { argocdCatalogue, catalogueConfigMap, rolloutNotifications, workflowNotifications } = await import(
        '@tiphys/notifications'
      );
      const selfService = false;
      const own = rollouts ? rolloutNotifications({ selfService }) : workflowNotifications({ selfService });
      const configMap =
        rollouts || workflows
          ? catalogueConfigMap(own.catalogue, own.configMapName)
          : catalogueConfigMap(argocdCatalogue, 'argocd-notifications-cm');
      output.out(structured('yaml', configMap).trimEnd());
    });

  const trigger = notifications.command('trigger').description('Triggers');
  ofKind(trigger.command('run <trigger> <object>'))
    .description('Tell whether the conditions of a trigger hold for an object now')
    .action(async (name: string, object: string, _options, command) => {
      const { conditions = [] } = await attempt(command, object, { trigger: name });
      for (const { key, triggered, oncePer, problem } of conditions)
        output.out(
          `${key}  ${triggered}${oncePer ? `  once per ${oncePer}` : ''}${problem ? `  ${problem.message}` : ''}`,
        );
    });

  const template = notifications.command('template').description('Templates');
  const toService = (command: Command): Command =>
    ofKind(command)
      .option('--service <name>', 'Service that it is for')
      .option('--recipient <name>', 'Whom it goes to; SERVICE:NAME, as argocd has it, without --service');
  toService(template.command('preview <template> <object>'))
    .description('Render a template for an object')
    .action(async (name: string, object: string, options, command) => {
      const { notification } = await attempt(command, object, { template: name, ...receiver(options) });
      output.out(structured('yaml', notification ?? {}).trimEnd());
    });
  toService(template.command('notify <template> <object>'))
    .description('Send a template for an object, as a test')
    .action(async (name: string, object: string, options, command) => {
      const { service, recipient = '' } = receiver(options);
      if (!service) return command.error('error: name the receiver: --recipient SERVICE:NAME');
      await attempt(command, object, { template: name, service, recipient, send: true });
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

/** Where several kinds share settings, their services are named once; kinds that nobody is told of are left out, but the first. */
const wide = ({ kinds }: Overview): string =>
  kinds
    .filter(
      ({ objects, problems, services, configMap }, i) =>
        i === 0 ||
        objects.length > 0 ||
        problems.length > 0 ||
        (services.length > 0 && kinds.findIndex((kind) => kind.configMap === configMap) === i),
    )
    .flatMap(linesOf)
    .join('\n')
    .trimEnd();

function linesOf({ kind, services, problems, objects }: KindOverview): string[] {
  const named = services.map(({ name, type }) => (name === type ? name : `${name} (${type})`));
  const lines = [`${kind}s, services: ${named.join(', ') || '(none)'}`];
  for (const problem of problems) lines.push(`${problem.code}: ${explainDiagnosis(problem)}`);
  for (const { namespace, name, subscriptions, waiting } of objects) {
    lines.push('', `${namespace}/${name}`);
    for (const { trigger, service, recipient } of subscriptions) lines.push(`  ${trigger} → ${service}:${recipient}`);
    for (const { trigger, service, recipient, at, problem } of waiting)
      lines.push(
        `  waits since ${at}: ${trigger} → ${service}:${recipient}${problem ? ` (${problem.code}: ${problem.message})` : ''}${problem?.remedy ? `\n    → ${problem.remedy}` : ''}`,
      );
  }
  return [...lines, ''];
}
