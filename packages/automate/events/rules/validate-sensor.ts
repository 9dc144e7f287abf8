import { isCronText } from '../event/cron.ts';
import { isTimezone, secondsOf } from '../filter/time-filter.ts';
import { backoffProblem } from '../retry/backoff.ts';
import { refusedField } from '../spec/fields/field-problem.ts';
import type {
  Dependency,
  DependencyFilter,
  Sensor,
  Trigger,
  TriggerParameter,
  TriggerTemplate,
} from '../spec/sensor.ts';
import { missing, SpecError, type SpecProblem, within, wrong } from '../spec/spec-problem.ts';
import { saslProblem } from '../wire/kafka.ts';
import { pulsarProblem } from '../wire/pulsar/problem.ts';
import { serviceBusTlsRefused, tlsProblem } from '../wire/tls.ts';

type Found = SpecProblem | undefined;
type Check = (template: TriggerTemplate) => Found;

/** Checks the dependencies of a sensor by upstream's rules. Throws `SpecError`. */
export function validateDependencies({ spec }: Sensor, bus: { readonly isStan: boolean }): void {
  const dependencies = spec.dependencies ?? [];
  const found =
    // a slip of `dependencies` itself stands beside it
    (dependencies.length === 0 ? refusedField({ ...spec, triggers: [] }, 'Sensor', 'spec') : undefined) ??
    refusedField({ dependencies }, 'Sensor', 'spec') ??
    within('spec.dependencies', dependenciesProblem(dependencies, bus.isStan));
  if (found) throw new SpecError('InvalidDependencies', found.text, found);
}

/** Checks the triggers of a sensor by upstream's rules. Throws `SpecError`. */
export function validateTriggers({ spec }: Sensor): void {
  const { dependencies: _, ...rest } = spec;
  const found = refusedField(rest, 'Sensor', 'spec') ?? within('spec.triggers', triggersProblem(spec.triggers ?? []));
  if (found) throw new SpecError('InvalidTriggers', found.text, found);
}

function dependenciesProblem(dependencies: readonly Dependency[], isStan: boolean): Found {
  if (dependencies.length === 0)
    return {
      text: 'no event dependencies found',
      remedy: 'Add one with name, eventSourceName and eventName of the event that is waited for',
    };
  const seen = new Set<string>();
  for (const [index, dependency] of dependencies.entries()) {
    const { name, eventSourceName, eventName, filters, filtersLogicalOperator } = dependency;
    const key = JSON.stringify([eventSourceName, eventName]);
    const twice =
      isStan && seen.has(key)
        ? wrong(
            'eventName',
            `event '${eventName}' from EventSource '${eventSourceName}' is referenced for more than one dependency in this Sensor object`,
            'Use one dependency for the event, as NATS Streaming needs, or another Sensor, or a bus of JetStream',
          )
        : undefined;
    seen.add(key);
    const found =
      (name ? undefined : missing('name', 'event dependency must define a name')) ??
      (eventSourceName ? undefined : missing('eventSourceName', 'event dependency must define the EventSourceName')) ??
      (eventName ? undefined : missing('eventName', 'event dependency must define the EventName')) ??
      twice ??
      within('filters', filterProblem(filters)) ??
      operatorProblem('filtersLogicalOperator', filtersLogicalOperator);
    if (found) return within(`[${index}]`, found);
  }
  return undefined;
}

function operatorProblem(field: string, operator: string | undefined): Found {
  if (['and', 'or', '', undefined].includes(operator)) return undefined;
  return wrong(field, `logical operator ${operator} not supported`, 'Write and, or or, in lower case');
}

const comparators = ['>=', '>', '=', '!=', '<', '<=', '', undefined];

function filterProblem(filters: DependencyFilter | undefined): Found {
  if (!filters) return undefined;
  const { exprs = [], data = [], context, time } = filters;
  for (const [index, expr] of exprs.entries()) {
    const found = within(`exprs[${index}]`, exprProblem(expr));
    if (found) return found;
  }
  for (const [index, { comparator, path, type, value }] of data.entries()) {
    const place = `data[${index}]`;
    if (!comparators.includes(comparator))
      return wrong(`${place}.comparator`, `comparator ${comparator} not supported`, 'Write one of >=, >, =, !=, <, <=');
    const absent = path ? (type ? (value?.length ? undefined : 'value') : 'type') : 'path';
    if (absent)
      return missing(`${place}.${absent}`, 'one of data filters is not valid (type, path and value must be not empty)');
    if (value.includes(''))
      return missing(
        `${place}.value[${value.indexOf('')}]`,
        'one of data filters is not valid (value must be not empty)',
      );
  }
  if (context && !context.type && !context.subject && !context.source && !context.datacontenttype)
    return wrong(
      'context',
      'no fields specified in ctx filter (aka all events will be discarded)',
      'Set one of type, subject, source and datacontenttype, or remove the filter',
    );
  return (
    operatorProblem('exprLogicalOperator', filters.exprLogicalOperator) ??
    operatorProblem('dataLogicalOperator', filters.dataLogicalOperator) ??
    within('time', time && timeProblem(time))
  );
}

function exprProblem({ expr, fields }: NonNullable<DependencyFilter['exprs']>[number]): Found {
  if (!expr) return missing('expr', 'one of expr filters is not valid (expr and fields must be not empty)');
  if (!fields?.length) return missing('fields', 'one of expr filters is not valid (expr and fields must be not empty)');
  const odd = fields.findIndex(({ path, name }) => !path || !name);
  if (odd < 0) return undefined;
  return missing(
    `fields[${odd}].${fields[odd]?.path ? 'name' : 'path'}`,
    'one of expr filters is not valid (path and name in a field must be not empty)',
  );
}

function timeProblem({ start, stop, timezone }: NonNullable<DependencyFilter['time']>): Found {
  const [from, to] = [secondsOf(start ?? ''), secondsOf(stop ?? '')];
  const odd =
    from === undefined ? (['start', start] as const) : to === undefined ? (['stop', stop] as const) : undefined;
  if (odd)
    return wrong(
      odd[0],
      `${JSON.stringify(odd[1] ?? '')} of the time filter is no time of the form HH:MM:SS`,
      'Write a time of day such as 09:00:00',
    );
  if (from === to)
    return wrong(
      'stop',
      `invalid event time filter: stop '${stop}' is equal to start '${start}'`,
      'Write another time, or remove the filter for all day',
    );
  return timezone ? timezoneProblem('timezone', timezone) : undefined;
}

function timezoneProblem(field: string, timezone: string): Found {
  if (isTimezone(timezone)) return undefined;
  return wrong(field, `invalid timezone ${JSON.stringify(timezone)}`, 'Write a name of IANA, such as Europe/Berlin');
}

function triggersProblem(triggers: readonly Trigger[]): Found {
  if (triggers.length === 0)
    return { text: 'no triggers found', remedy: 'Add a trigger with template.name and its type' };
  const names = new Set<string>();
  for (const [index, trigger] of triggers.entries()) {
    const name = trigger.template?.name ?? '';
    const found =
      triggerProblem(trigger) ??
      (names.has(name) ? wrong('template.name', `duplicate trigger name: ${name}`, 'Give it another name') : undefined);
    if (found) return within(`[${index}]`, found);
    names.add(name);
  }
  return undefined;
}

function triggerProblem(trigger: Trigger): Found {
  const { template, policy, parameters, dlqTrigger } = trigger;
  if (!template) return missing('template', "trigger template can't be nil");
  if (!template.name) return missing('template.name', 'trigger must define a name');
  const found =
    within('template', resetProblem(template) ?? templateProblem(template)) ??
    within('policy', policyProblem(policy)) ??
    parametersProblem(parameters, 'template parameter', 'parameters') ??
    strategyProblem('retryStrategy', trigger.retryStrategy) ??
    rateLimitProblem(trigger.rateLimit);
  if (found || !dlqTrigger) return found;
  if (!trigger.atLeastOnce)
    return wrong(
      'atLeastOnce',
      'to use dlqTrigger, trigger.atLeastOnce must be set to true',
      'Set atLeastOnce: true on the trigger',
    );
  if (!dlqTrigger.atLeastOnce)
    return wrong(
      'dlqTrigger.atLeastOnce',
      'atLeastOnce must be set to true within the dlqTrigger',
      'Set atLeastOnce: true on the dlqTrigger',
    );
  return within('dlqTrigger', triggerProblem(dlqTrigger));
}

function strategyProblem(field: string, strategy: Trigger['retryStrategy']): Found {
  const found = within(field, strategy && backoffProblem(strategy));
  return found && { ...found, text: `${field}.${found.text}` };
}

const units = ['Second', 'Minute', 'Hour'];

/** Upstream takes any other unit for seconds. */
function rateLimitProblem(limit: Trigger['rateLimit']): Found {
  const unit = limit?.unit || 'Second';
  if (units.includes(unit)) return undefined;
  return wrong(
    'rateLimit.unit',
    `rateLimit.unit ${JSON.stringify(unit)} is none of ${units.join(', ')}`,
    `Write one of ${units.join(', ')}`,
  );
}

function resetProblem({ conditionsReset = [] }: TriggerTemplate): Found {
  for (const [index, { byTime }] of conditionsReset.entries()) {
    const place = `conditionsReset[${index}].byTime`;
    if (!byTime) return missing(place, 'invalid conditionsReset', '{cron: "0 0 * * *"}');
    if (!isCronText(byTime.cron ?? ''))
      return wrong(
        `${place}.cron`,
        `invalid cron expression ${JSON.stringify(byTime.cron ?? '')}`,
        'Write five fields of cron, such as "0 0 * * *"',
      );
    const zone = byTime.timezone && timezoneProblem(`${place}.timezone`, byTime.timezone);
    if (zone) return zone;
  }
  return undefined;
}

function policyProblem(policy: Trigger['policy']): Found {
  if (policy?.k8s) {
    const { labels, backoff } = policy.k8s;
    if (!labels) return missing('k8s.labels', 'resource labels are not specified');
    if (backoff?.steps === 0) return wrong('k8s.backoff.steps', 'invalid backoff steps', 'Write a number from 1 on');
    const found = within('k8s', strategyProblem('backoff', backoff));
    if (found) return found;
  }
  if (!policy?.status || policy.status.allow) return undefined;
  return missing('status.allow', 'list of allowed response status is not specified', '[200]');
}

const operations = ['', undefined, 'append', 'overwrite', 'prepend'];

function parametersProblem(
  parameters: readonly TriggerParameter[] | undefined,
  what: string,
  field: string,
  needsDest = true,
): Found {
  for (const [index, { src, dest, operation }] of (parameters ?? []).entries()) {
    const told = (text: string) => `${what} index: ${index}. err: ${text}`;
    const place = `${field}[${index}]`;
    if (!src) return missing(`${place}.src`, told("parameter source can't be empty"));
    if (!src.dependencyName)
      return missing(`${place}.src.dependencyName`, told("parameter dependency name can't be empty"));
    if (needsDest && !dest) return missing(`${place}.dest`, told("parameter destination can't be empty"));
    if (!operations.includes(operation))
      return wrong(
        `${place}.operation`,
        told(`parameter operation ${operation} is invalid`),
        'Write overwrite, append or prepend',
      );
  }
  return undefined;
}

function templateProblem(template: TriggerTemplate): Found {
  const known = Object.keys(checks).filter(
    (key) => template[key as keyof TriggerTemplate] !== undefined && template[key as keyof TriggerTemplate] !== null,
  );
  const isLog = template.log !== undefined && template.log !== null;
  if (known.length === 0 && !isLog)
    return {
      text: `template ${template.name} is invalid, it has no trigger`,
      remedy: `Add one of ${[...Object.keys(checks), 'log'].sort().join(', ')}`,
    };
  for (const key of known) {
    const found = within(key, checks[key]?.(template));
    if (!found) continue;
    const what = key === 'k8s' ? 'trigger for template' : 'template';
    return { ...found, text: `${what} ${template.name} is invalid, ${found.text}` };
  }
  return undefined;
}

const resource = (parameters: readonly TriggerParameter[] | undefined) =>
  parametersProblem(parameters, 'resource parameter', 'parameters');
const payload = (parameters: readonly TriggerParameter[] | undefined) =>
  parametersProblem(parameters, 'payload', 'payload');
const noPayload = (text: string) =>
  missing('payload', text, '[{src: {dependencyName: NAME, dataKey: body}, dest: body}]');
const workflowOperations = ['submit', 'submit-from', 'suspend', 'retry', 'resume', 'resubmit', 'terminate', 'stop'];

const checks: Readonly<Record<string, Check>> = {
  k8s: ({ k8s }) => {
    if (!k8s?.source) return missing('source', 'k8s trigger does not contain an absolute action');
    const known = ['create', 'update', 'patch', 'delete'];
    if (k8s.operation && !known.includes(k8s.operation))
      return wrong('operation', `unknown operation type ${k8s.operation}`, `Write one of ${known.join(', ')}`);
    return resource(k8s.parameters);
  },
  argoWorkflow: ({ argoWorkflow }) => {
    if (!argoWorkflow?.source) return missing('source', 'argoWorkflow trigger does not contain an absolute action');
    if (!workflowOperations.includes(argoWorkflow.operation ?? ''))
      return wrong(
        'operation',
        `unknown operation type ${argoWorkflow.operation ?? ''}`,
        `Write one of ${workflowOperations.join(', ')}`,
      );
    return resource(argoWorkflow.parameters);
  },
  http: ({ http }) => {
    if (!http?.url) return missing('url', 'server URL is not specified', 'http://host/path');
    if (http.method && !['GET', 'DELETE', 'PATCH', 'POST', 'PUT'].includes(http.method))
      return wrong(
        'method',
        'only GET, DELETE, PATCH, POST and PUT methods are supported',
        'Write one of them, in capitals',
      );
    return (
      resource(http.parameters) ??
      parametersProblem(http.payload, 'payload', 'payload', false) ??
      within('tls', tlsProblem(http.tls))
    );
  },
  awsLambda: ({ awsLambda }) => {
    if (!awsLambda?.functionName) return missing('functionName', 'function name is not specified');
    if (!awsLambda.region) return missing('region', 'region in not specified');
    if (!awsLambda.payload) return noPayload('payload parameters are not specified');
    return resource(awsLambda.parameters) ?? payload(awsLambda.payload);
  },
  kafka: ({ kafka }) => {
    if (!kafka?.url) return missing('url', 'broker url must not be empty', 'kafka:9092');
    if (!kafka.payload) return noPayload('payload must not be empty');
    if (!kafka.topic) return missing('topic', 'topic must not be empty');
    return payload(kafka.payload) ?? within('sasl', saslProblem(kafka.sasl)) ?? within('tls', tlsProblem(kafka.tls));
  },
  nats: ({ nats }) => {
    if (!nats?.url) return missing('url', "nats server url can't be empty", 'nats://host:4222');
    if (!nats.subject) return missing('subject', "nats subject can't be empty");
    return nats.payload
      ? (payload(nats.payload) ?? within('tls', tlsProblem(nats.tls)))
      : noPayload("payload can't be nil");
  },
  slack: ({ slack }) =>
    slack?.slackToken ? resource(slack.parameters) : missing('slackToken', "slack token can't be empty"),
  openWhisk: ({ openWhisk }) => {
    if (!openWhisk?.actionName) return missing('actionName', 'action name is not specified');
    if (!openWhisk.host) return missing('host', 'host URL is not specified');
    if (openWhisk.authToken && !(openWhisk.authToken.name && openWhisk.authToken.key))
      return missing(
        openWhisk.authToken.name ? 'authToken.key' : 'authToken.name',
        'auth token key and name must be specified',
      );
    if (!openWhisk.payload) return noPayload('payload parameters are not specified');
    return resource(openWhisk.parameters) ?? parametersProblem(openWhisk.payload, 'resource parameter', 'payload');
  },
  custom: ({ custom }) => {
    if (!custom?.serverURL) return missing('serverURL', 'custom trigger gRPC server url is not defined', 'host:9000');
    if (!custom.spec) return missing('spec', "trigger body can't be empty");
    if (custom.secure && !custom.certSecret)
      return missing('certSecret', "certSecret can't be nil when the trigger server connection is secure");
    return resource(custom.parameters);
  },
  email: ({ email }) => {
    if (!email?.host) return missing('host', "host can't be empty");
    const { port = 0 } = email;
    if (port < 0 || port > 65_535)
      return wrong('port', `port: ${port}, port should be between 0-65535`, 'Write such a port, or remove it');
    return resource(email.parameters);
  },
  azureEventHubs: ({ azureEventHubs }) => {
    if (!azureEventHubs?.fqdn) return missing('fqdn', 'fqdn is not specified', 'name.servicebus.windows.net');
    if (!azureEventHubs.hubName) return missing('hubName', 'hubName is not specified');
    return resource(azureEventHubs.parameters) ?? payload(azureEventHubs.payload);
  },
  azureServiceBus: ({ azureServiceBus }) => {
    if (!azureServiceBus?.queueName && !azureServiceBus?.topicName)
      return missing('queueName', 'queueName or topicName must be specified');
    if (azureServiceBus.tls) return serviceBusTlsRefused;
    return resource(azureServiceBus.parameters) ?? payload(azureServiceBus.payload);
  },
  pulsar: ({ pulsar }) => {
    if (!pulsar?.topic) return missing('topic', 'topic must be specified');
    return pulsarProblem(pulsar) ?? (pulsar.payload ? payload(pulsar.payload) : noPayload('payload must not be empty'));
  },
};
