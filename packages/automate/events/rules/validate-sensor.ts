import { isCronText } from '../event/cron.ts';
import { isTimezone, secondsOf } from '../filter/time-filter.ts';
import { SpecError } from '../spec/common.ts';
import { refusedField } from '../spec/fields/field-problem.ts';
import type {
  Dependency,
  DependencyFilter,
  Sensor,
  Trigger,
  TriggerParameter,
  TriggerTemplate,
} from '../spec/sensor.ts';
import { pulsarProblem } from '../wire/pulsar/problem.ts';
import { noServiceBusTls } from '../wire/tls.ts';

type Check = (template: TriggerTemplate) => string | undefined;

/** Checks the dependencies of a sensor by upstream's rules. Throws `SpecError`. */
export function validateDependencies({ spec }: Sensor, bus: { readonly isStan: boolean }): void {
  const dependencies = spec.dependencies ?? [];
  const wrong =
    // a slip of `dependencies` itself stands beside it
    (dependencies.length === 0 ? refusedField({ ...spec, triggers: [] }, 'Sensor', 'spec') : undefined) ??
    refusedField({ dependencies }, 'Sensor', 'spec') ??
    dependenciesProblem(dependencies, bus.isStan);
  if (wrong) throw new SpecError('InvalidDependencies', wrong);
}

/** Checks the triggers of a sensor by upstream's rules. Throws `SpecError`. */
export function validateTriggers({ spec }: Sensor): void {
  const { dependencies: _, ...rest } = spec;
  const wrong = refusedField(rest, 'Sensor', 'spec') ?? triggersProblem(spec.triggers ?? []);
  if (wrong) throw new SpecError('InvalidTriggers', wrong);
}

function dependenciesProblem(dependencies: readonly Dependency[], isStan: boolean): string | undefined {
  if (dependencies.length === 0) return 'no event dependencies found';
  const seen = new Set<string>();
  for (const dependency of dependencies) {
    const { name, eventSourceName, eventName, filtersLogicalOperator } = dependency;
    if (!name) return 'event dependency must define a name';
    if (!eventSourceName) return 'event dependency must define the EventSourceName';
    if (!eventName) return 'event dependency must define the EventName';
    const key = JSON.stringify([eventSourceName, eventName]);
    if (isStan && seen.has(key))
      return `event '${eventName}' from EventSource '${eventSourceName}' is referenced for more than one dependency in this Sensor object`;
    seen.add(key);
    const wrong = filterProblem(dependency.filters) ?? operatorProblem(filtersLogicalOperator);
    if (wrong) return wrong;
  }
  return undefined;
}

function operatorProblem(operator: string | undefined): string | undefined {
  return ['and', 'or', '', undefined].includes(operator) ? undefined : `logical operator ${operator} not supported`;
}

const comparators = ['>=', '>', '=', '!=', '<', '<=', '', undefined];

function filterProblem(filters: DependencyFilter | undefined): string | undefined {
  if (!filters) return undefined;
  const { exprs = [], data = [], context, time } = filters;
  for (const { expr, fields } of exprs) {
    if (!expr) return 'one of expr filters is not valid (expr and fields must be not empty)';
    if (!fields?.length) return 'one of expr filters is not valid (expr and fields must be not empty)';
    if (fields.some(({ path, name }) => !path || !name))
      return 'one of expr filters is not valid (path and name in a field must be not empty)';
  }
  for (const { comparator, path, type, value } of data) {
    if (!comparators.includes(comparator)) return `comparator ${comparator} not supported`;
    if (!path || !type || !value?.length)
      return 'one of data filters is not valid (type, path and value must be not empty)';
    if (value.includes('')) return 'one of data filters is not valid (value must be not empty)';
  }
  if (context && !context.type && !context.subject && !context.source && !context.datacontenttype)
    return 'no fields specified in ctx filter (aka all events will be discarded)';
  return (
    operatorProblem(filters.exprLogicalOperator) ??
    operatorProblem(filters.dataLogicalOperator) ??
    (time && timeProblem(time))
  );
}

function timeProblem({ start, stop, timezone }: NonNullable<DependencyFilter['time']>): string | undefined {
  const [from, to] = [secondsOf(start ?? ''), secondsOf(stop ?? '')];
  if (from === undefined) return `${JSON.stringify(start ?? '')} of the time filter is no time of the form HH:MM:SS`;
  if (to === undefined) return `${JSON.stringify(stop ?? '')} of the time filter is no time of the form HH:MM:SS`;
  if (from === to) return `invalid event time filter: stop '${stop}' is equal to start '${start}'`;
  return timezone && !isTimezone(timezone) ? `invalid timezone ${JSON.stringify(timezone)}` : undefined;
}

function triggersProblem(triggers: readonly Trigger[]): string | undefined {
  if (triggers.length === 0) return 'no triggers found';
  const names = new Set<string>();
  for (const trigger of triggers) {
    const wrong = triggerProblem(trigger);
    if (wrong) return wrong;
    const name = trigger.template?.name ?? '';
    if (names.has(name)) return `duplicate trigger name: ${name}`;
    names.add(name);
  }
  return undefined;
}

function triggerProblem(trigger: Trigger): string | undefined {
  const { template, policy, parameters, dlqTrigger } = trigger;
  if (!template) return "trigger template can't be nil";
  if (!template.name) return 'trigger must define a name';
  const wrong =
    resetProblem(template) ??
    templateProblem(template) ??
    policyProblem(policy) ??
    parametersProblem(parameters, 'template parameter');
  if (wrong || !dlqTrigger) return wrong;
  if (!trigger.atLeastOnce) return 'to use dlqTrigger, trigger.atLeastOnce must be set to true';
  if (!dlqTrigger.atLeastOnce) return 'atLeastOnce must be set to true within the dlqTrigger';
  return triggerProblem(dlqTrigger);
}

function resetProblem({ conditionsReset = [] }: TriggerTemplate): string | undefined {
  for (const { byTime } of conditionsReset) {
    if (!byTime) return 'invalid conditionsReset';
    if (!isCronText(byTime.cron ?? '')) return `invalid cron expression ${JSON.stringify(byTime.cron ?? '')}`;
    if (byTime.timezone && !isTimezone(byTime.timezone)) return `invalid timezone ${JSON.stringify(byTime.timezone)}`;
  }
  return undefined;
}

function policyProblem(policy: Trigger['policy']): string | undefined {
  if (policy?.k8s) {
    if (!policy.k8s.labels) return 'resource labels are not specified';
    if (policy.k8s.backoff?.steps === 0) return 'invalid backoff steps';
  }
  if (policy?.status && !policy.status.allow) return 'list of allowed response status is not specified';
  return undefined;
}

const operations = ['', undefined, 'append', 'overwrite', 'prepend'];

function parametersProblem(
  parameters: readonly TriggerParameter[] | undefined,
  what: string,
  needsDest = true,
): string | undefined {
  for (const [index, { src, dest, operation }] of (parameters ?? []).entries()) {
    const told = (text: string) => `${what} index: ${index}. err: ${text}`;
    if (!src) return told("parameter source can't be empty");
    if (!src.dependencyName) return told("parameter dependency name can't be empty");
    if (needsDest && !dest) return told("parameter destination can't be empty");
    if (!operations.includes(operation)) return told(`parameter operation ${operation} is invalid`);
  }
  return undefined;
}

function templateProblem(template: TriggerTemplate): string | undefined {
  const known = Object.keys(checks).filter(
    (key) => template[key as keyof TriggerTemplate] !== undefined && template[key as keyof TriggerTemplate] !== null,
  );
  const isLog = template.log !== undefined && template.log !== null;
  if (known.length === 0 && !isLog) return `template ${template.name} is invalid, it has no trigger`;
  for (const key of known) {
    const wrong = checks[key]?.(template);
    if (wrong)
      return key === 'k8s'
        ? `trigger for template ${template.name} is invalid, ${wrong}`
        : `template ${template.name} is invalid, ${wrong}`;
  }
  return undefined;
}

const resource = (parameters: readonly TriggerParameter[] | undefined) =>
  parametersProblem(parameters, 'resource parameter');
const payload = (parameters: readonly TriggerParameter[] | undefined) => parametersProblem(parameters, 'payload');
const workflowOperations = ['submit', 'submit-from', 'suspend', 'retry', 'resume', 'resubmit', 'terminate', 'stop'];

const checks: Readonly<Record<string, Check>> = {
  k8s: ({ k8s }) => {
    if (!k8s?.source) return 'k8s trigger does not contain an absolute action';
    if (!['', undefined, 'create', 'update', 'patch', 'delete'].includes(k8s.operation))
      return `unknown operation type ${k8s.operation}`;
    return resource(k8s.parameters);
  },
  argoWorkflow: ({ argoWorkflow }) => {
    if (!argoWorkflow?.source) return 'argoWorkflow trigger does not contain an absolute action';
    if (!workflowOperations.includes(argoWorkflow.operation ?? ''))
      return `unknown operation type ${argoWorkflow.operation ?? ''}`;
    return resource(argoWorkflow.parameters);
  },
  http: ({ http }) => {
    if (!http?.url) return 'server URL is not specified';
    if (http.method && !['GET', 'DELETE', 'PATCH', 'POST', 'PUT'].includes(http.method))
      return 'only GET, DELETE, PATCH, POST and PUT methods are supported';
    return resource(http.parameters) ?? parametersProblem(http.payload, 'payload', false);
  },
  awsLambda: ({ awsLambda }) => {
    if (!awsLambda?.functionName) return 'function name is not specified';
    if (!awsLambda.region) return 'region in not specified';
    if (!awsLambda.payload) return 'payload parameters are not specified';
    return resource(awsLambda.parameters) ?? payload(awsLambda.payload);
  },
  kafka: ({ kafka }) => {
    if (!kafka?.url) return 'broker url must not be empty';
    if (!kafka.payload) return 'payload must not be empty';
    return kafka.topic ? payload(kafka.payload) : 'topic must not be empty';
  },
  nats: ({ nats }) => {
    if (!nats?.url) return "nats server url can't be empty";
    if (!nats.subject) return "nats subject can't be empty";
    return nats.payload ? payload(nats.payload) : "payload can't be nil";
  },
  slack: ({ slack }) => (slack?.slackToken ? resource(slack.parameters) : "slack token can't be empty"),
  openWhisk: ({ openWhisk }) => {
    if (!openWhisk?.actionName) return 'action name is not specified';
    if (!openWhisk.host) return 'host URL is not specified';
    if (openWhisk.authToken && !(openWhisk.authToken.name && openWhisk.authToken.key))
      return 'auth token key and name must be specified';
    if (!openWhisk.payload) return 'payload parameters are not specified';
    return resource(openWhisk.parameters) ?? resource(openWhisk.payload);
  },
  custom: ({ custom }) => {
    if (!custom?.serverURL) return 'custom trigger gRPC server url is not defined';
    if (!custom.spec) return "trigger body can't be empty";
    if (custom.secure && !custom.certSecret)
      return "certSecret can't be nil when the trigger server connection is secure";
    return resource(custom.parameters);
  },
  email: ({ email }) => {
    if (!email?.host) return "host can't be empty";
    const { port = 0 } = email;
    if (port < 0 || port > 65_535) return `port: ${port}, port should be between 0-65535`;
    return resource(email.parameters);
  },
  azureEventHubs: ({ azureEventHubs }) => {
    if (!azureEventHubs?.fqdn) return 'fqdn is not specified';
    if (!azureEventHubs.hubName) return 'hubName is not specified';
    return resource(azureEventHubs.parameters) ?? payload(azureEventHubs.payload);
  },
  azureServiceBus: ({ azureServiceBus }) => {
    if (!azureServiceBus?.queueName && !azureServiceBus?.topicName) return 'queueName or topicName must be specified';
    if (azureServiceBus.tls) return noServiceBusTls;
    return resource(azureServiceBus.parameters) ?? payload(azureServiceBus.payload);
  },
  pulsar: ({ pulsar }) => {
    if (!pulsar?.topic) return 'topic must be specified';
    return pulsarProblem(pulsar) ?? (pulsar.payload ? payload(pulsar.payload) : 'payload must not be empty');
  },
};
