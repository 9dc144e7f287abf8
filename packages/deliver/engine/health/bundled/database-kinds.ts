import type { KubeObject } from '@tiphys/kubernetes';
import { numberAt, objectsAt, textAt, valueAt } from '../../model/fields.ts';
import type { HealthCode } from '../../model/model.ts';
import { health } from '../conditions.ts';
import {
  byReason,
  type Check,
  type Checks,
  conditions,
  field,
  firstOf,
  forKinds,
  given,
  hasStatus,
  listAt,
  numberOr,
  when,
} from './check.ts';

/** Phases of CloudNativePG. What changes the cluster under its users is Degraded, what needs a person Suspended. */
const postgresPhases: Readonly<Record<string, HealthCode>> = {
  'Cluster in healthy state': 'Healthy',
  'Setting up primary': 'Progressing',
  'Creating a new replica': 'Progressing',
  'Upgrading cluster': 'Progressing',
  'Waiting for the instances to become active': 'Progressing',
  'Promoting to primary cluster': 'Progressing',
  'Switchover in progress': 'Degraded',
  'Failing over': 'Degraded',
  'Upgrading Postgres major version': 'Degraded',
  'Cluster upgrade delayed': 'Degraded',
  'Waiting for user action': 'Degraded',
  'Primary instance is being restarted in-place': 'Degraded',
  'Primary instance is being restarted without a switchover': 'Degraded',
  'Cluster cannot execute instance online upgrade due to missing architecture binary': 'Degraded',
  'Online upgrade in progress': 'Degraded',
  'Applying configuration': 'Degraded',
  'Unable to create required cluster objects': 'Suspended',
  'Cluster cannot proceed to reconciliation due to an unknown plugin being required': 'Suspended',
  'Cluster has incomplete or invalid image catalog': 'Suspended',
  'Cluster is unrecoverable and needs manual intervention': 'Suspended',
};

const postgresCluster: Check = (cluster) => {
  if (cluster.metadata.annotations?.['cnpg.io/reconciliationLoop'] === 'disabled')
    return health('Suspended', 'Cluster reconciliation is suspended');
  const reason = textAt(cluster, 'status', 'phaseReason');
  if (!Array.isArray(valueAt(cluster, 'status', 'conditions'))) return health('Progressing', reason);
  const hibernation = conditions(when('cnpg.io/hibernation', 'True', 'Suspended'), {
    type: 'cnpg.io/hibernation',
    code: 'Degraded',
  })(cluster);
  return hibernation ?? health(postgresPhases[textAt(cluster, 'status', 'phase')] ?? 'Unknown', reason);
};

const perconaNodes = (object: KubeObject) =>
  `${numberOr(0, object, 'status', 'ready')}/${numberOr(0, object, 'status', 'size')} node(s) are ready`;

const mongo: Check = (object) => {
  if (!hasStatus(object)) return health('Unknown', 'Cluster status is unknown');
  const codes: Readonly<Record<string, HealthCode>> = {
    initializing: 'Progressing',
    ready: 'Healthy',
    error: 'Degraded',
    stopping: 'Progressing',
    paused: 'Suspended',
  };
  return health(codes[textAt(object, 'status', 'state')] ?? 'Unknown', perconaNodes(object));
};

const xtradb: Check = (object) =>
  firstOf(
    [
      'Unknown',
      'Cluster status is unknown. Ensure your ArgoCD is current and then check for/file a bug report: https://github.com/argoproj/argo-cd/issues',
    ],
    field(['status', 'state'], {
      initializing: ['Progressing', perconaNodes(object)],
      ready: ['Healthy', perconaNodes(object)],
      paused: ['Unknown', 'Cluster is paused'],
      stopping: ['Degraded', `Cluster is stopping (${perconaNodes(object)})`],
      error: ['Degraded', `Cluster is on error: ${listAt(object, 'status', 'message').join(', ')}`],
    }),
  )(object);

/** The first condition that is False decides; with none the last one tells. */
function mariadb(failed: (condition: Readonly<Record<string, unknown>>) => boolean, withReason: boolean): Check {
  return (object) => {
    const list = objectsAt(object, 'status', 'conditions');
    if (!Array.isArray(valueAt(object, 'status', 'conditions')))
      return health('Progressing', 'No status info available');
    const bad = list.find(({ status }) => status === 'False');
    const told = bad ?? list.at(-1);
    const message = told ? `${withReason ? `${textAt(told, 'reason')} ` : ''}${textAt(told, 'message')}` : '';
    if (!bad) return health('Healthy', message);
    return health(failed(bad) ? 'Degraded' : 'Progressing', message);
  };
}

const mariadbPart: Check = (object) => {
  const list = objectsAt(object, 'status', 'conditions');
  const isReady = list.find(({ type }) => type === 'Ready');
  if (isReady) return health(isReady.status === 'True' ? 'Healthy' : 'Degraded', textAt(isReady, 'message'));
  const last = list.at(-1);
  return health('Progressing', last ? textAt(last, 'message') : 'No status info available');
};

const sqlJob: Check = (object) => {
  const list = objectsAt(object, 'status', 'conditions');
  const told = (one: unknown) => `${textAt(one, 'reason')} ${textAt(one, 'message')}`;
  for (const one of list) {
    if (one.status !== 'True') continue;
    if (one.reason === 'JobComplete') return health('Healthy', told(one));
    if (one.reason === 'JobFailed') return health('Degraded', told(one));
  }
  return health('Progressing', list.length > 0 ? told(list.at(-1)) : 'No status info available');
};

/** Atlas says under another field whether it is still at work. */
const atlas = (working: 'reason' | 'message', words: readonly string[]): Check =>
  firstOf(['Progressing', 'Waiting for Atlas Operator'], (object) => {
    const state = objectsAt(object, 'status', 'conditions').find(({ type }) => type === 'Ready');
    if (!state) return undefined;
    const busy = words.includes(textAt(state, working));
    return health(state.status === 'True' ? 'Healthy' : busy ? 'Progressing' : 'Degraded', byReason(state));
  });

const clickhouse = (name: string): Check =>
  firstOf(
    ['Progressing', `${name} status not yet available`],
    field(['status', 'status'], {
      Completed: ['Healthy', `${name} installation completed successfully`],
      InProgress: ['Progressing', `${name} installation in progress`],
      $other: ['Degraded', (status) => `${name} status: ${status}`],
    }),
  );

const cassandra: Check = (object) => {
  const waiting = health('Progressing', 'Waiting for Cassandra Cluster');
  const racks = valueAt(object, 'status', 'racks') as Record<string, unknown> | undefined;
  if (!racks) return waiting;
  const late = Object.values(racks).some((rack) => {
    const [members, good] = [numberAt(rack, 'members'), numberAt(rack, 'readyMembers')];
    return members !== undefined && good !== undefined && members !== good;
  });
  return late ? waiting : health('Healthy');
};

const unknownElastic = (name: string) =>
  `${name} status is unknown. Ensure your ArgoCD is current and then check for/file a bug report: https://github.com/argoproj/argo-cd/issues`;

const elasticsearch: Check = (object) => {
  const available = numberAt(object, 'status', 'availableNodes');
  const unknown = health('Unknown', unknownElastic('Elasticsearch Cluster'));
  if (available === undefined) return unknown;
  const wanted = listAt(object, 'spec', 'nodeSets').reduce<number>((sum, set) => sum + numberOr(0, set, 'count'), 0);
  if (available < wanted) {
    const message = `The desired amount of availableNodes is ${wanted} but the current amount is ${available}`;
    return health('Progressing', message);
  }
  const [phase, state] = [textAt(object, 'status', 'phase'), textAt(object, 'status', 'health')];
  if (available > wanted || !phase || !state) return unknown;
  const look = 'Check the status of indices, replicas and shards';
  return (
    field(['at'], {
      'Ready green': ['Healthy', 'Elasticsearch Cluster status is Green'],
      'Ready yellow': ['Progressing', `Elasticsearch Cluster status is Yellow. ${look}`],
      'Ready red': ['Degraded', `Elasticsearch Cluster status is Red. ${look}`],
      ApplyingChanges: ['Progressing', 'Elasticsearch phase is ApplyingChanges'],
      MigratingData: ['Progressing', 'Elasticsearch phase is MigratingData'],
      Invalid: ['Degraded', 'Elasticsearch phase is Invalid'],
    })({ ...object, at: phase === 'Ready' ? `Ready ${state}` : phase }) ?? unknown
  );
};

const beat: Check = (object) => {
  const [state, expected] = [textAt(object, 'status', 'health'), numberAt(object, 'status', 'expectedNodes')];
  const available = numberAt(object, 'status', 'availableNodes');
  const counted = expected !== undefined && available !== undefined;
  const deploying = `Elastic Beat status is deploying, there is ${available} instance(s) on ${expected} expected`;
  const busy = 'Elastic Beat phase is progressing';
  return firstOf(
    ['Unknown', unknownElastic('Elastic Beat')],
    given(() => state === 'red', 'Degraded', 'Elastic Beat status is Red'),
    given(() => state === 'green', 'Healthy', 'Elastic Beat status is Green'),
    given(() => state === 'yellow', 'Progressing', counted ? deploying : busy),
    given(() => state === '' && expected !== undefined, 'Progressing', busy),
  )(object);
};

/** Kinds of databases and search. */
export const databaseKinds: Checks = {
  'acid.zalan.do/postgresql': firstOf(
    ['Progressing', 'Waiting for postgres cluster status...'],
    field(['status', 'PostgresClusterStatus'], {
      Running: ['Healthy', 'Running'],
      Creating: ['Progressing', 'Creating'],
      Updating: ['Progressing', 'Updating'],
      $other: ['Degraded', (status) => status],
    }),
  ),
  'beat.k8s.elastic.co/Beat': beat,
  'cassandra.rook.io/Cluster': cassandra,
  'clickhouse-keeper.altinity.com/ClickHouseKeeperInstallation': clickhouse('ClickHouseKeeper'),
  'clickhouse.altinity.com/ClickHouseInstallation': clickhouse('ClickHouse'),
  'db.atlasgo.io/AtlasMigration': atlas('reason', ['Reconciling']),
  'db.atlasgo.io/AtlasSchema': atlas('message', ['Reconciling', 'GettingDevDB']),
  'elasticsearch.k8s.elastic.co/Elasticsearch': elasticsearch,
  'k8s.mariadb.com/Backup': mariadb(
    ({ reason, message }) => reason === 'CronJobScheduled' && message === 'Failed',
    true,
  ),
  'k8s.mariadb.com/MariaDB': mariadb(({ reason }) => reason === 'Failed', false),
  ...forKinds('k8s.mariadb.com', ['Database', 'Grant', 'User'], () => mariadbPart),
  'k8s.mariadb.com/SqlJob': sqlJob,
  'logstash.k8s.elastic.co/Logstash': firstOf(
    ['Progressing', 'Waiting for Logstash'],
    field(['status', 'health'], {
      green: ['Healthy', 'Logstash status is Green'],
      yellow: ['Progressing', 'Logstash status is Yellow'],
      red: ['Degraded', 'Logstash status is Red'],
    }),
  ),
  'mariadb.mmontes.io/MariaDB': mariadb(({ reason }) => reason === 'Failed', false),
  'postgresql.cnpg.io/Cluster': postgresCluster,
  'psmdb.percona.com/PerconaServerMongoDB': mongo,
  'pxc.percona.com/PerconaXtraDBCluster': xtradb,
  'solr.apache.org/SolrCloud': (object) => {
    if (!Array.isArray(valueAt(object, 'status', 'solrNodes')))
      return health('Progressing', 'Waiting for solr to exist');
    const all = objectsAt(object, 'status', 'solrNodes').every((node) => node.ready === true);
    return all ? health('Healthy', 'Solr is ready') : health('Progressing', 'Not all replicas are ready');
  },
  'zookeeper.pravega.io/ZookeeperCluster': firstOf(
    ['Progressing', 'Waiting for ZK Nodes to join the ensemble'],
    given(
      ({ status }) => {
        const good = valueAt(status, 'readyReplicas');
        return status !== undefined && good !== 0 && good === valueAt(status, 'replicas');
      },
      'Healthy',
      'All ZK Nodes have joined the ensemble',
    ),
  ),
};
