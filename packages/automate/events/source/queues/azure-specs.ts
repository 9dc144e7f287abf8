import type { KeySelector, TlsConfig } from '../../spec/common.ts';
import { missing, type SpecProblem, wrong } from '../../spec/spec-problem.ts';
import { serviceBusTlsRefused } from '../../wire/tls.ts';
import type { Metadata } from '../event-data.ts';

export interface EventsHubSpec {
  readonly fqdn?: string;
  readonly hubName?: string;
  readonly sharedAccessKeyName?: KeySelector;
  readonly sharedAccessKey?: KeySelector;
  readonly metadata?: Metadata;
}

export interface ServiceBusSpec {
  readonly connectionString?: KeySelector;
  readonly fullyQualifiedNamespace?: string;
  readonly queueName?: string;
  readonly topicName?: string;
  readonly subscriptionName?: string;
  readonly deferDelete?: boolean;
  readonly jsonBody?: boolean;
  readonly tls?: TlsConfig;
  readonly metadata?: Metadata;
}

export interface QueueStorageSpec {
  readonly connectionString?: KeySelector;
  readonly storageAccountName?: string;
  readonly queueName?: string;
  readonly decodeMessage?: boolean;
  readonly dlq?: boolean;
  readonly jsonBody?: boolean;
  readonly waitTimeInSeconds?: number;
  readonly metadata?: Metadata;
}

export function eventsHubProblem({
  fqdn,
  hubName,
  sharedAccessKeyName,
  sharedAccessKey,
}: EventsHubSpec): SpecProblem | undefined {
  if (!fqdn) return missing('fqdn', 'FQDN is not specified', 'name.servicebus.windows.net');
  if (!hubName) return missing('hubName', 'hub name/path is not specified');
  return Boolean(sharedAccessKeyName) === Boolean(sharedAccessKey)
    ? undefined
    : missing(
        sharedAccessKey ? 'sharedAccessKeyName' : 'sharedAccessKey',
        'SharedAccessKey or SharedAccessKeyName is not specified. If one is set then both must be set',
      );
}

export function serviceBusProblem(spec: ServiceBusSpec): SpecProblem | undefined {
  const { connectionString, fullyQualifiedNamespace, queueName, topicName, subscriptionName, tls } = spec;
  if (!connectionString && !fullyQualifiedNamespace)
    return missing('connectionString', 'ConnectionString or fullyQualifiedNamespace must be specified');
  if (!queueName && !topicName && !subscriptionName)
    return missing('queueName', 'QueueName or TopicName/SubscriptionName must be specified');
  if (queueName && (topicName || subscriptionName))
    return wrong(
      'queueName',
      'QueueName and TopicName/SubscriptionName cannot be specified at the same time',
      'Remove it, or topicName and subscriptionName',
    );
  if (subscriptionName && !topicName)
    return missing('topicName', 'TopicName must be specified when SubscriptionName is specified');
  if (topicName && !subscriptionName)
    return missing('subscriptionName', 'SubscriptionName must be specified when TopicName is specified');
  return tls ? serviceBusTlsRefused : undefined;
}

export function queueStorageProblem({
  connectionString,
  storageAccountName,
  queueName,
}: QueueStorageSpec): SpecProblem | undefined {
  if (!connectionString && !storageAccountName)
    return missing('connectionString', 'must specify connection string or storageAccountName');
  return queueName ? undefined : missing('queueName', 'must specify queue name');
}
