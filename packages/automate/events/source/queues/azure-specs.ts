import type { KeySelector, TlsConfig } from '../../spec/common.ts';
import { noServiceBusTls } from '../../wire/tls.ts';
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
}: EventsHubSpec): string | undefined {
  if (!fqdn) return 'FQDN is not specified';
  if (!hubName) return 'hub name/path is not specified';
  return Boolean(sharedAccessKeyName) === Boolean(sharedAccessKey)
    ? undefined
    : 'SharedAccessKey or SharedAccessKeyName is not specified. If one is set then both must be set';
}

export function serviceBusProblem(spec: ServiceBusSpec): string | undefined {
  const { connectionString, fullyQualifiedNamespace, queueName, topicName, subscriptionName, tls } = spec;
  if (!connectionString && !fullyQualifiedNamespace)
    return 'ConnectionString or fullyQualifiedNamespace must be specified';
  if (!queueName && !topicName && !subscriptionName) return 'QueueName or TopicName/SubscriptionName must be specified';
  if (queueName && (topicName || subscriptionName))
    return 'QueueName and TopicName/SubscriptionName cannot be specified at the same time';
  if (subscriptionName && !topicName) return 'TopicName must be specified when SubscriptionName is specified';
  if (topicName && !subscriptionName) return 'SubscriptionName must be specified when TopicName is specified';
  return tls ? noServiceBusTls : undefined;
}

export function queueStorageProblem({
  connectionString,
  storageAccountName,
  queueName,
}: QueueStorageSpec): string | undefined {
  if (!connectionString && !storageAccountName) return 'must specify connection string or storageAccountName';
  return queueName ? undefined : 'must specify queue name';
}
