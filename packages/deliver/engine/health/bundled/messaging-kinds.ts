import { numberAt, objectsAt, textAt, valueAt } from '../../model/fields.ts';
import { health } from '../conditions.ts';
import { type Check, type Checks, conditions, field, firstOf, forKinds, when } from './check.ts';

/** What a topology object of RabbitMQ is called. */
const rabbitParts = ['Binding', 'Exchange', 'Permission', 'Policy', 'Queue', 'Shovel', 'User', 'Vhost'];

const rabbitPart = (kind: string): Check => {
  const name = `RabbitMQ ${kind.toLowerCase()}`;
  return firstOf(
    ['Unknown', `${name} status is unknown`],
    conditions(
      { ...when('Ready', 'True', 'Healthy', `${name} ready`), reason: 'SuccessfulCreateOrUpdate' },
      {
        ...when('Ready', 'False', 'Degraded', `${name} failed to be created or updated`),
        reason: 'FailedCreateOrUpdate',
      },
    ),
  );
};

const rabbitCluster: Check = (object) => {
  const failed = conditions(when('ReconcileSuccess', 'False', 'Degraded'))(object);
  if (failed) return failed;
  const status = (type: string) =>
    objectsAt(object, 'status', 'conditions').findLast((condition) => condition.type === type)?.status;
  const [available, all] = [status('ClusterAvailable'), status('AllReplicasReady')];
  if (available === 'Unknown' || all === 'Unknown')
    return health('Progressing', 'Waiting for RabbitMQ cluster readiness (conditions unknown)');
  if (available === 'False') return health('Progressing', 'Waiting for RabbitMQ cluster formation');
  if (all === 'False') return health('Progressing', 'Waiting for RabbitMQ instances ready');
  return available === 'True' && all === 'True'
    ? health('Healthy', 'RabbitMQ cluster ready')
    : health('Progressing', 'Waiting for RabbitMQ Operator');
};

const strimzi = (name: string): Check =>
  firstOf(
    ['Progressing', `Waiting for ${name}`],
    conditions(when('NotReady', 'True', 'Degraded'), when('Ready', 'True', 'Healthy', '')),
  );

/** While it is being made it is not ready, and that is no trouble. */
const strimziKafka: Check = (object) =>
  objectsAt(object, 'status', 'conditions').reduce<ReturnType<Check>>((found, condition) => {
    if (found) return found;
    if (condition.type === 'NotReady' && condition.status === 'True' && condition.reason !== 'Creating')
      return health('Degraded', textAt(condition, 'message'));
    return condition.type === 'Ready' && condition.status === 'True' ? health('Healthy') : undefined;
  }, undefined) ?? health('Progressing', 'Waiting for Kafka Cluster');

const banzai: Check = (object) => {
  const state = textAt(object, 'status', 'state');
  const waiting = health('Progressing', 'Waiting for KafkaCluster');
  if (state === 'ClusterRollingUpgrading') return health('Progressing', 'Kafka Cluster is Rolling Upgrading.');
  const brokers = valueAt(object, 'status', 'brokersState') as Record<string, unknown> | undefined;
  if (!brokers) return waiting;
  const settled = Object.values(brokers).every(
    (broker) =>
      textAt(broker, 'configurationState') === 'ConfigInSync' &&
      ['GracefulUpscaleSucceeded', 'GracefulDownscaleSucceeded'].includes(
        textAt(broker, 'gracefulActionState', 'cruiseControlState'),
      ),
  );
  if (!settled) return health('Degraded', 'Broker Config is out of Sync or CruiseControlState is not Ready');
  const topic = textAt(object, 'status', 'cruiseControlTopicStatus');
  if (topic === 'CruiseControlTopicReady' && state === 'ClusterRunning')
    return health('Healthy', 'Kafka Brokers, CruiseControl and cluster are in Healthy State.');
  return topic !== 'CruiseControlTopicReady' && state === 'ClusterReconciling'
    ? health('Progressing', 'Kafka Cluster is Reconciling.')
    : waiting;
};

const confluent = (kind: string): Check =>
  firstOf(
    ['Progressing', `Waiting for ${kind}`],
    field(['status', 'phase'], {
      RUNNING: ['Healthy', `${kind} running`],
      PROVISIONING: ['Progressing', `${kind} provisioning`],
    }),
  );

const connector: Check = (object) => {
  const failed = numberAt(object, 'status', 'failedTasksCount');
  const state = textAt(object, 'status', 'state');
  if (state === 'CREATED' && textAt(object, 'status', 'connectorState') === 'RUNNING' && failed === undefined)
    return health('Healthy', 'Connector running');
  if (state === 'ERROR') {
    const [first] = objectsAt(object, 'status', 'conditions');
    return health('Degraded', first ? textAt(first, 'message') : 'No conditions available');
  }
  return state !== '' && (failed ?? 0) > 0
    ? health('Degraded', 'Connector has failed tasks')
    : health('Progressing', 'Waiting for Kafka Connector');
};

/** Kinds of Kafka and RabbitMQ. */
export const messagingKinds: Checks = {
  'kafka.banzaicloud.io/KafkaCluster': banzai,
  'kafka.strimzi.io/Kafka': strimziKafka,
  'kafka.strimzi.io/KafkaBridge': strimzi('KafkaBridge'),
  'kafka.strimzi.io/KafkaConnect': strimzi('Kafka Connect'),
  'kafka.strimzi.io/KafkaConnector': strimzi('KafkaConnector'),
  'kafka.strimzi.io/KafkaTopic': strimzi('Kafka Topic'),
  'kafka.strimzi.io/KafkaUser': strimzi('Kafka User'),
  ...forKinds(
    'platform.confluent.io',
    ['Connect', 'ControlCenter', 'Kafka', 'KsqlDB', 'SchemaRegistry', 'Zookeeper'],
    confluent,
  ),
  'platform.confluent.io/Connector': connector,
  ...forKinds('rabbitmq.com', rabbitParts, rabbitPart),
  'rabbitmq.com/RabbitmqCluster': rabbitCluster,
};
