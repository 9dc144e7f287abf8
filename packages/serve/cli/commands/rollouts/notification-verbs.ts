import type { Command } from 'commander';
import { structured, table } from '../../terminal/output.ts';
import { loadNotifications, type SettingsFlags, sentTo } from './notifications.ts';
import { fail, type VerbCall, type VerbCommands } from './verb-command.ts';

interface GetOptions extends SettingsFlags {
  readonly output: string;
}

interface NotifyOptions extends SettingsFlags {
  readonly recipient: readonly string[];
}

/** `notifications`: triggers and templates of Rollouts as they are configured, and tried on a Rollout. */
export function addNotificationVerbs(rollouts: Command, verbs: VerbCommands): void {
  const notifications = rollouts
    .command('notifications')
    .description('Triggers and templates of notifications of Rollouts')
    .option('--config-map <file>', 'File with argo-rollouts-notification-configmap; that of the namespace if absent')
    .option('--secret <file>', 'File with argo-rollouts-notification-secret; :empty for one without keys');
  const trigger = notifications.command('trigger').description('Triggers');
  const template = notifications.command('template').description('Templates');
  for (const [parent, get] of [
    [trigger, getTriggers],
    [template, getTemplates],
  ] as const)
    verbs
      .add<GetOptions>(parent, 'get [name]', get)
      .description('Print what the ConfigMap configures')
      .option('-o, --output <format>', 'json, yaml, wide or name', 'wide');
  verbs
    .add<SettingsFlags>(trigger, 'run <trigger> <rollout>', runTrigger)
    .description('Tell whether the conditions of a trigger hold for a Rollout, by its name or in a file');
  verbs
    .add<NotifyOptions>(template, 'notify <template> <rollout>', notify)
    .description('Render a template for a Rollout, and print or send it')
    .option(
      '--recipient <service:recipient>',
      'Whom it is sent to; may be given again; printed if absent',
      (value: string, all: string[]) => [...all, value],
      [],
    );
}

async function getTriggers(call: VerbCall<GetOptions>): Promise<void> {
  const { engine } = await loadNotifications(call);
  const items = chosen(engine.settings.triggers, call.args[0]);
  const rows = items.flatMap(([name, conditions]) =>
    conditions.map(({ send, when }, index) => [index > 0 ? '' : name, send.join(', '), when]),
  );
  const given = items.map(([name, conditions]) => [name, conditions.map(withoutEmpty)] as const);
  print(call, { columns: ['NAME', 'TEMPLATE', 'CONDITION'], rows, items: given });
}

async function getTemplates(call: VerbCall<GetOptions>): Promise<void> {
  const { engine } = await loadNotifications(call);
  const items = chosen(engine.settings.templates, call.args[0]);
  const rows = items.map(([name, template]) => [name, String(template.message || JSON.stringify(template))]);
  print(call, { columns: ['NAME', 'PREVIEW'], rows, items });
}

/** Those of a name, or all in their order. */
function chosen<T>(all: ReadonlyMap<string, T>, name: string | undefined): (readonly [string, T])[] {
  return [...all].filter(([key]) => !name || key === name).sort(([a], [b]) => (a < b ? -1 : 1));
}

function withoutEmpty(condition: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(condition).filter(([, value]) => value !== ''));
}

interface Shown {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly items: readonly (readonly [string, unknown])[];
}

function print({ output, options }: VerbCall<GetOptions>, { columns, rows, items }: Shown): void {
  const { output: format } = options;
  if (format === 'wide') output.out(table([columns, ...rows]));
  else if (format === 'name') for (const [name] of items) output.out(name);
  else if (format === 'json' || format === 'yaml') output.out(structured(format, Object.fromEntries(items)));
  else fail({ output }, `output format '${format}' is not supported`);
}

async function runTrigger(call: VerbCall<SettingsFlags>): Promise<void> {
  const [name = '', resource = ''] = call.args;
  const { engine, variablesOf } = await loadNotifications(call);
  const trigger = engine.trigger(name);
  if (!trigger) {
    const found = [...engine.settings.triggers.keys()].join(', ');
    return fail(call, `trigger with name '${name}' does not exist (found ${found})`);
  }
  const variables = await variablesOf(resource);
  const results = await variables.read((values) => trigger.evaluate(values, () => Date.now()));
  const rows = results.map(({ when, triggered }) => [when, String(triggered)]);
  call.output.out(table([['CONDITION', 'RESULT'], ...rows]));
}

async function notify(call: VerbCall<NotifyOptions>): Promise<void> {
  const [name = '', resource = ''] = call.args;
  const { engine, variablesOf } = await loadNotifications(call);
  const { recipient: recipients } = call.options;
  for (const recipient of recipients.length > 0 ? recipients : ['console:stdout']) {
    const [service = '', to = ''] = recipient.split(':');
    const destination = { service, recipient: to };
    const notification = await engine.render([name], await variablesOf(resource, destination));
    const { message, sections } = notification;
    if (service === 'console') call.output.out(structured('yaml', { ...(message ? { message } : {}), ...sections }));
    else await sentTo(call, { engine, notification, destination });
  }
}
