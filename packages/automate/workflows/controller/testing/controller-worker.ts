import { type ClusterConfig, connect, systemClock } from '@tiphys/kubernetes';
import { startWorkflows } from '../start-workflows.ts';

/** Runs the controllers of workflows until it is killed. Arguments: the cluster as JSON, the number of shards. */
const [config = '', shards = ''] = process.argv.slice(2);
const client = connect(JSON.parse(config) as ClusterConfig, {
  caller: { component: 'test', purpose: 'killed controller' },
});
await startWorkflows({
  client,
  clock: systemClock,
  namespace: 'argo',
  signal: new AbortController().signal,
  base: { env: {}, executorImage: 'argoexec', wrapsCommands: false },
  shards: Number(shards),
  onError: (key, error) => process.stderr.write(`${key}: ${error}\n`),
});
process.stdout.write('started\n');
