import { type CommandCase, quiet } from './command-cases.ts';

/** A node without a kubelet, nobody else's, and pods that say they run there. */
const node = `apiVersion: v1
kind: Node
metadata: {name: NAMESPACE, labels: {case: NAMESPACE, 'node-role.kubernetes.io/worker': ''}}
spec: {podCIDR: 10.250.0.0/24, taints: [{key: own, value: 'yes', effect: NoSchedule}]}
`;

const pod = (name: string, more = '{}', volumes = '[]') => `apiVersion: v1
kind: Pod
metadata: {name: ${name}, labels: {app: ${name}}}
spec:
  nodeName: NAMESPACE
  volumes: ${volumes}
  containers: [{name: main, image: nginx, resources: ${more}}]
`;

const replicas = (name: string) => `apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: ${name}, labels: {app: ${name}}}
spec:
  replicas: 1
  selector: {matchLabels: {app: ${name}}}
  template:
    metadata: {labels: {app: ${name}}}
    spec: {nodeName: NAMESPACE, containers: [{name: main, image: nginx}]}
`;

const daemons = `apiVersion: apps/v1
kind: DaemonSet
metadata: {name: agent}
spec:
  selector: {matchLabels: {app: agent}}
  template:
    metadata: {labels: {app: agent}}
    spec:
      nodeSelector: {case: NAMESPACE}
      tolerations: [{operator: Exists}]
      containers: [{name: main, image: nginx}]
`;

const running = '{"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}]}}';

export const nodeCases: readonly CommandCase[] = [
  {
    name: 'nodes',
    steps: [
      { run: 'create -f -', input: node },
      quiet(
        "wait node/NAMESPACE --for=jsonpath='{.metadata.annotations.node\\.alpha\\.kubernetes\\.io/ttl}'=0 --timeout=30s",
      ),
      'get node NAMESPACE',
      'get node NAMESPACE -o custom-columns=N:.metadata.name,T:.spec.taints[*].key,U:.spec.unschedulable',
      'describe node NAMESPACE --show-events=false',
      'cordon NAMESPACE --dry-run=client',
      'cordon NAMESPACE --dry-run=server',
      'cordon NAMESPACE',
      'cordon NAMESPACE',
      'cordon none',
      'get node NAMESPACE',
      'uncordon NAMESPACE',
      'uncordon NAMESPACE',
      'uncordon none',
      'cordon -l case=NAMESPACE',
      'uncordon --selector=case=NAMESPACE',
      'taint nodes NAMESPACE dedicated=web:NoSchedule',
      'taint nodes NAMESPACE dedicated=web:NoSchedule',
      'taint nodes NAMESPACE dedicated=db:NoSchedule',
      'taint nodes NAMESPACE dedicated=db:NoSchedule --overwrite',
      'taint nodes NAMESPACE dedicated=db:NoExecute other:PreferNoSchedule',
      'taint nodes -l case=NAMESPACE more=x:NoSchedule --dry-run=server',
      'taint nodes NAMESPACE dedicated:NoSchedule-',
      'taint nodes NAMESPACE dedicated-',
      'taint nodes NAMESPACE dedicated-',
      'taint nodes NAMESPACE bad=value:Nonsense',
      'taint nodes NAMESPACE -x=y:NoSchedule',
      'taint nodes NAMESPACE a=b:NoSchedule a=c:NoSchedule',
      'taint nodes none a=b:NoSchedule',
      'taint pods none a=b:NoSchedule',
      'label node NAMESPACE zone=a',
      'get nodes -l case=NAMESPACE -L zone --show-labels=false',
      'get node NAMESPACE -o wide',
      'patch node NAMESPACE --subresource=status --type=merge -p \'{"status":{"capacity":{"cpu":"4","memory":"8Gi","pods":"10"},"allocatable":{"cpu":"3","memory":"7Gi","pods":"10"},"addresses":[{"type":"InternalIP","address":"10.1.2.3"},{"type":"ExternalIP","address":"1.2.3.4"}]}}\'',
      'get node NAMESPACE -o wide',
      {
        run: 'create -f -',
        input: pod('sized', '{requests: {cpu: 500m, memory: 1Gi}, limits: {cpu: 1, memory: 2Gi}}'),
      },
      'describe node NAMESPACE --show-events=false',
      'delete pod sized --grace-period=0 --force',
      'delete node NAMESPACE',
    ],
  },
  {
    name: 'drain',
    steps: [
      { run: 'create -f -', input: node },
      'drain none',
      'drain',
      'drain NAMESPACE --dry-run=client',
      'drain NAMESPACE --dry-run=server',
      'drain NAMESPACE',
      'uncordon NAMESPACE',
      { run: 'create -f -', input: `${pod('alone')}---\n${replicas('owned')}` },
      quiet("wait rs/owned --for=jsonpath='{.status.replicas}'=1 --timeout=180s"),
      'drain NAMESPACE',
      { run: 'create -f -', input: pod('local', '{}', '[{name: data, emptyDir: {}}]') },
      { run: 'create -f -', input: daemons },
      quiet("wait ds/agent --for=jsonpath='{.status.currentNumberScheduled}'=1 --timeout=180s"),
      'drain NAMESPACE --force',
      'drain NAMESPACE --force --ignore-daemonsets',
      'drain NAMESPACE --pod-selector=app=alone --force --grace-period=0',
      'get pods -o custom-columns=APP:.metadata.labels.app --sort-by=.metadata.labels.app',
      { run: 'create -f -', input: pod('kept') },
      `patch pod kept --subresource=status --type=merge -p '${running}'`,
      'create pdb keep --selector=app=kept --min-available=1',
      quiet("wait pdb/keep --for=jsonpath='{.status.currentHealthy}'=1 --timeout=180s"),
      'drain NAMESPACE --pod-selector=app=kept --force --grace-period=0 --timeout=3s',
      'get pod kept -o name',
      'drain NAMESPACE --pod-selector=app=kept --force --grace-period=0 --disable-eviction',
      'delete rs owned --cascade=orphan',
      { run: 'drain NAMESPACE --force --ignore-daemonsets --delete-emptydir-data --grace-period=0', quiet: true },
      'get pods -o custom-columns=APP:.metadata.labels.app --sort-by=.metadata.labels.app',
      'get node NAMESPACE',
      'delete ds agent',
      'delete pods --all --grace-period=0 --force',
      'delete node NAMESPACE',
    ],
  },
];
