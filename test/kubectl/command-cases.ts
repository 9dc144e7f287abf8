import { shop } from './manifests.ts';

/**
 * One command line of kubectl; words are split at spaces, single quotes hold them together. Here and in what is written
 * into files NAMESPACE stands for the namespace of the case, for names in the whole cluster too, and FOLDER for its folder.
 */
export interface Step {
  readonly run: string;
  /** Files to write into FOLDER before, by their names. */
  readonly files?: Readonly<Record<string, string>>;
  /** Standard input. */
  readonly input?: string;
  /** Further variables of its environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** What `kubectl edit` runs instead of an editor: a command of sh that changes the file `$1`. */
  readonly editor?: string;
  /** Runs, but what it prints depends on time. */
  readonly quiet?: boolean;
  /** Prints what all of the cluster has: not compared where others use it. */
  readonly everywhere?: boolean;
}

/** Command lines that run one after another in a namespace of their own. */
export interface CommandCase {
  readonly name: string;
  readonly steps: readonly (string | Step)[];
}

export const configMaps = `apiVersion: v1
kind: ConfigMap
metadata: {name: one, labels: {tier: front, app: a}}
data: {color: red}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: two, labels: {tier: back, app: a}}
data: {color: blue, size: large}
`;

export const idle = shop.replace('replicas: 2', 'replicas: 0');
export const quiet = (run: string): Step => ({ run, quiet: true });
export const settled = quiet('wait deployment/shop --for=condition=Available --timeout=180s');

const forms = [
  '',
  '-o wide',
  '-o yaml',
  '-o json',
  '-o name',
  '-o jsonpath=\'{range .items[*]}{.metadata.name}{"\\t"}{.data.color}{"\\n"}{end}\'',
  "-o jsonpath-as-json='{.items[*].data}'",
  "-o go-template='{{range .items}}{{.metadata.name}} {{end}}'",
  '-o custom-columns=NAME:.metadata.name,COLOR:.data.color,NONE:.data.none',
  '-o custom-columns=NAME:.metadata.name --no-headers',
  '--no-headers',
  '--show-labels',
  '--show-kind',
  '-L tier,app',
  '--sort-by=.data.color',
  '--sort-by=.metadata.name -o name',
  '-l tier=front',
  "-l 'tier in (front,back),app!=b'",
  "-l '!tier'",
  '--field-selector metadata.name=two',
  '--field-selector data.color=red',
  '--chunk-size=1',
  '--output-watch-events',
  '--show-managed-fields -o yaml',
  '-o nonsense',
  '-A --field-selector metadata.name=one',
];

export const commandCases: readonly CommandCase[] = [
  {
    name: 'get',
    steps: [
      { run: 'apply -f -', input: configMaps },
      ...forms.map((form) => ({
        run: `get configmap one two ${form}`.replace(/one two (?=.*(-l|selector|chunk|sort|range|items))/, ''),
        everywhere: form.startsWith('-A'),
      })),
      'get configmap one --subresource=status',
      'get configmaps/one configmap/none',
      'get configmap none --ignore-not-found',
      'get nonsense',
      'get cm,secrets -o name',
      'get --raw /api/v1/namespaces/default/configmaps/none',
      'get --raw /version',
      'get --raw /nonsense',
      'get --raw /healthz',
      'get deployments',
      'get pods -A -l none=at-all',
      'get namespaces default kube-system -o custom-columns=N:.metadata.name,S:.status.phase',
      { run: 'get priorityclasses', everywhere: true },
      'get clusterroles admin -o yaml',
      'get clusterrolebindings cluster-admin -o wide',
      'get services kubernetes -n default -o wide',
      'get all',
      'get all,pvc',
      'get configmap one -w --request-timeout=1s --watch-only',
      'get events',
    ],
  },
  {
    name: 'create',
    steps: [
      'create configmap plain --from-literal=a=b --from-literal=c=d',
      'create configmap plain',
      'create configmap shown --from-literal=a=b --dry-run=client -o yaml',
      'create configmap shown --from-literal=a=b --dry-run=server -o yaml',
      'create secret generic given --from-literal=password=secret',
      'create secret docker-registry pull --docker-server=example.com --docker-username=u --docker-password=p',
      'get secrets -o wide',
      'create serviceaccount robot',
      'create role reader --verb=get,list --resource=pods,deployments.apps',
      'create role reader --verb=get --resource=nonsense',
      'create rolebinding robot --role=reader --serviceaccount=default:robot --user=jane',
      'create clusterrole case-lister --verb=list --resource=nodes --dry-run=server -o yaml',
      "create clusterrole case-aggregated --aggregation-rule='a=b' --dry-run=server -o yaml",
      'create clusterrolebinding case --clusterrole=view --group=team --dry-run=server -o yaml',
      'create quota small --hard=pods=2,services=1',
      'create service clusterip plain --tcp=80:8080',
      'create service nodeport node --tcp=80',
      'create service clusterip quota --tcp=80',
      'create service externalname outside --external-name=example.com',
      'create service loadbalancer load --tcp=443 --dry-run=server -o name',
      'create deployment web --image=nginx --replicas=0 --port=80',
      'create deployment web --image=nginx',
      "create deployment bad --image='Not An Image' --replicas=0",
      'create deployment Bad_Name --image=nginx',
      'create job once --image=busybox --dry-run=server -o name -- true',
      "create cronjob nightly --image=busybox --schedule='0 3 * * *' --dry-run=server -o name",
      "create cronjob never --image=busybox --schedule='nonsense'",
      "create ingress front --rule='example.com/*=web:80,tls=cert' --class=nginx",
      'get ingress',
      'create poddisruptionbudget guard --selector=app=web --min-available=1 --max-unavailable=1',
      'create poddisruptionbudget guard --selector=app=web --min-available=50%',
      'create priorityclass case-priority --value=10 --description=of-cases --dry-run=server',
      'create namespace Bad_Name',
      'create namespace default',
      'create token robot --duration=1s',
      'create token nobody',
      { run: 'create -f -', input: 'apiVersion: v1\nkind: Nonsense\nmetadata: {name: x}\n' },
      { run: 'create -f -', input: 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\ndata: {a: 1}\n' },
      { run: 'create -f -', input: 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\ndatta: {a: b}\n' },
      {
        run: 'create -f - --validate=warn',
        input: 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\ndatta: {a: b}\n',
      },
      {
        run: 'create -f - --validate=ignore',
        input: 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: y}\ndatta: {a: b}\n',
      },
      { run: 'create -f -', input: 'apiVersion: v1\nkind: ConfigMap\nmetadata: {generateName: gen-}\n', quiet: true },
    ],
  },
  {
    name: 'apply',
    steps: [
      { run: 'apply -f -', input: configMaps },
      { run: 'apply -f -', input: configMaps },
      { run: 'apply -f - --dry-run=server', input: configMaps.replace('red', 'green') },
      { run: 'apply -f - --dry-run=client -o yaml', input: configMaps.replace('red', 'green') },
      { run: 'diff -f -', input: configMaps },
      { run: 'apply view-last-applied configmap one', quiet: false },
      { run: 'apply set-last-applied -f -', input: configMaps.replace('red', 'yellow') },
      'apply view-last-applied configmap one -o json',
      { run: 'apply edit-last-applied configmap/one', editor: 'sed -i s/yellow/brown/ $1' },
      'apply view-last-applied configmap one',
      { run: 'apply -f - --server-side', input: configMaps.replace('red', 'green') },
      { run: 'apply -f - --server-side --field-manager=other', input: configMaps.replace('red', 'black') },
      {
        run: 'apply -f - --server-side --field-manager=other --force-conflicts',
        input: configMaps.replace('red', 'black'),
      },
      'get configmap one -o yaml --show-managed-fields',
      { run: 'apply -f - --prune -l app=a', input: configMaps.split('---')[0] as string },
      { run: 'apply -f -', input: idle },
      { run: 'apply -f -', input: idle.replace('nginx:1.27', 'nginx:1.28') },
      { run: 'apply -f -', input: idle.replaceAll('{app: shop}}', '{app: other}}') },
      { run: 'apply -f - --force', input: idle.replaceAll('{app: shop}}', '{app: other}}') },
      'get deployment shop -o yaml',
      {
        run: 'apply -f -',
        input: 'apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: bad}\nspec: {replicas: x}\n',
      },
      {
        run: 'apply -f -',
        input: 'apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: bad}\nspec: {replicas: 1}\n',
      },
      { run: 'replace -f -', input: configMaps.replace('red', 'white') },
      { run: 'replace --force -f -', input: configMaps.replace('red', 'white') },
      { run: 'replace -f -', input: 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: absent}\n' },
    ],
  },
  {
    name: 'change',
    steps: [
      { run: 'apply -f -', input: `${configMaps}---\n${idle}` },
      'label configmap one tier=changed',
      'label configmap one tier=changed --overwrite',
      'label configmap one tier-',
      'label configmap one none-',
      "label configmap one 'bad label=x'",
      'label configmaps --all color=any',
      'label configmap one app-',
      'label configmap one --list',
      'label configmap one color=x --resource-version=1 --overwrite',
      'annotate configmap one note=a',
      'annotate configmap one note=b',
      'annotate configmap one note=b --overwrite',
      'annotate configmap one note-',
      'annotate configmap one --list',
      'patch configmap one --type=merge -p \'{"data":{"color":null,"x":"y"}}\'',
      'patch configmap one --type=merge -p \'{"data":{"x":"y"}}\'',
      'patch configmap one --type=json -p \'[{"op":"test","path":"/data/x","value":"z"}]\'',
      'patch configmap one --type=json -p \'[{"op":"remove","path":"/data/none"}]\'',
      'patch configmap one --type=json -p \'[{"op":"add","path":"/data/new","value":"z"}]\' -o yaml',
      "patch configmap one -p 'nonsense'",
      'patch configmap one --type=merge -p \'{"data":{"x":1}}\'',
      'patch deployment shop -p \'{"spec":{"template":{"spec":{"containers":[{"name":"web","image":"nginx:2"}]}}}}\'',
      'patch deployment shop --subresource=scale --type=merge -p \'{"spec":{"replicas":0}}\'',
      'patch deployment shop --subresource=status --type=merge -p \'{"status":{"observedGeneration":9}}\' -o name',
      { run: 'edit configmap two', editor: 'sed -i s/blue/pink/ $1' },
      { run: 'edit configmap two', editor: 'true' },
      { run: 'edit configmap two -o json', editor: 'sed -i s/pink/grey/ $1' },
      'get configmap two -o yaml',
      'scale deployment shop --replicas=0 --current-replicas=3',
      'scale deployment shop --replicas=0',
      'scale deployment none --replicas=0',
      'scale configmap one --replicas=1',
      'autoscale deployment shop --min=1 --max=3 --cpu=80%',
      "get hpa shop -o jsonpath='{.spec}'",
      'expose deployment shop --name=exposed --port=80 --target-port=http --type=NodePort',
      'expose deployment shop',
      'get service exposed -o yaml',
      'set image deployment/shop web=nginx:3',
      'set image deployment/shop none=nginx:3',
      'set image deployment/shop web=nginx:4 --dry-run=server -o name',
      'set env deployment/shop A=b',
      'set env deployment/shop --from=configmap/one --keys=new',
      'set env deployment/shop --list',
      'set env deployment/shop A-',
      'set resources deployment/shop --limits=cpu=100m,memory=64Mi --requests=cpu=50m',
      'set resources deployment/shop --limits=cpu=10m',
      'set selector service/exposed app=other',
      'set serviceaccount deployment/shop robot',
      'create rolebinding b --clusterrole=view --user=jane',
      'set subject rolebinding b --user=joe --group=team',
      'get rolebinding b -o wide',
      'get deployment shop -o yaml',
    ],
  },
  {
    name: 'delete',
    steps: [
      { run: 'apply -f -', input: configMaps },
      'delete configmap one --dry-run=server',
      'delete configmap one --dry-run=client',
      'delete configmap one',
      'delete configmap one',
      'delete configmap one --ignore-not-found',
      { run: 'delete -f -', input: configMaps },
      { run: 'apply -f -', input: configMaps },
      'delete configmaps -l tier=front',
      'delete configmap --all -o name',
      'delete configmap --all --field-selector metadata.name=kube-root-ca.crt',
      'delete configmap',
      'delete nonsense x',
      'delete --raw /api/v1/namespaces/default/configmaps/none',
    ],
  },
  {
    name: 'describe',
    steps: [
      { run: 'apply -f -', input: `${configMaps}---\n${idle}` },
      settled,
      'describe configmap one',
      'describe configmap none',
      'describe deployment shop --show-events=false',
      'describe service shop',
      'describe serviceaccount default',
      'create quota small --hard=pods=2',
      quiet("wait quota/small --for=jsonpath='{.status.hard.pods}'=2 --timeout=180s"),
      'describe quota small',
      'create role reader --verb=get --resource=pods --resource-name=a',
      'describe role reader',
      'create rolebinding b --role=reader --user=jane',
      'describe rolebinding b',
      'describe clusterrole view --show-events=false',
      "create ingress front --rule='example.com/*=shop:http'",
      'describe ingress front',
      'create secret generic given --from-literal=password=secret',
      'describe secret given',
      "create cronjob nightly --image=busybox --schedule='0 3 * * *'",
      'describe cronjob nightly',
      'create pdb guard --selector=app=web --min-available=1',
      'describe pdb guard --show-events=false',
      'describe priorityclass system-node-critical',
      'describe namespace default',
      'describe service kubernetes -n default --show-events=false',
      {
        run: 'apply -f -',
        input: `apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: closed}
spec: {podSelector: {}, policyTypes: [Ingress], ingress: [{from: [{podSelector: {matchLabels: {a: b}}}], ports: [{port: 80}]}]}
---
apiVersion: v1
kind: LimitRange
metadata: {name: limits}
spec: {limits: [{type: Container, default: {cpu: 100m}, defaultRequest: {cpu: 50m}, max: {cpu: '1'}}]}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}, storageClassName: none}
`,
      },
      'describe networkpolicy closed',
      'describe limitrange limits',
      'describe pvc data --show-events=false',
      'get networkpolicy,limitrange,pvc',
    ],
  },
  {
    name: 'rollout',
    steps: [
      { run: 'apply -f -', input: idle },
      settled,
      'rollout status deployment/shop',
      'rollout history deployment/shop',
      'set image deployment/shop web=nginx:2',
      quiet('rollout status deployment/shop --timeout=180s'),
      'rollout history deployment/shop --revision=1',
      'rollout history deployment/shop --revision=9',
      'rollout undo deployment/shop --dry-run=server',
      'rollout undo deployment/shop --to-revision=9',
      'rollout undo deployment/shop',
      quiet('rollout status deployment/shop --timeout=180s'),
      'rollout undo deployment/shop --to-revision=3',
      'rollout pause deployment/shop',
      'rollout pause deployment/shop',
      'rollout restart deployment/shop',
      'rollout resume deployment/shop',
      'rollout resume deployment/shop',
      'rollout restart deployment/shop',
      'rollout status configmap/none',
      'rollout history deployment/none',
      'rollout restart service/shop',
    ],
  },
  {
    name: 'discovery',
    steps: [
      { run: 'api-versions', everywhere: true },
      { run: 'api-resources', everywhere: true },
      { run: 'api-resources --namespaced=false -o name', everywhere: true },
      'api-resources --api-group=apps -o wide',
      { run: 'api-resources --verbs=list,get --sort-by=kind --no-headers', everywhere: true },
      { run: 'api-resources --categories=all', everywhere: true },
      'explain pods',
      'explain pod.spec.containers.livenessProbe',
      'explain deployment.spec.strategy --recursive',
      'explain deployment --api-version=apps/v1 --output=plaintext-openapiv2',
      'explain cronjobs.spec.jobTemplate --recursive',
      'explain nonsense',
      'explain pod.spec.nonsense',
      'explain crd.spec.versions.schema',
      'version -o yaml',
      'cluster-info',
      'top pods',
      'top nodes',
      'get apiservices -l none=at-all',
    ],
  },
  {
    name: 'access',
    steps: [
      'auth whoami',
      'auth whoami -o yaml',
      'auth whoami --as=jane --as-group=team -o yaml',
      'auth can-i create pods',
      'auth can-i create pods --as=jane',
      "auth can-i '*' '*'",
      'auth can-i get pods --subresource=log --as=jane -q',
      'auth can-i get /healthz --as=jane',
      'auth can-i create nonsense',
      'create role reader --verb=get,list --resource=pods',
      'create rolebinding jane --role=reader --user=jane',
      'auth can-i get pods --as=jane',
      'auth can-i --list --as=jane',
      'get pods --as=jane',
      'get secrets --as=jane',
      'get nodes --as=jane',
      'delete pod x --as=jane',
      'create configmap x --as=jane',
      'get pods --as=jane -A',
      {
        run: 'auth reconcile -f -',
        input: `apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: reader}
rules: [{apiGroups: [''], resources: [configmaps], verbs: [get]}]
`,
      },
      'get role reader -o yaml',
      'create serviceaccount robot',
      'create rolebinding robot --role=reader --serviceaccount=default:robot',
      'get certificatesigningrequests',
      'certificate approve none',
    ],
  },
  {
    name: 'pods',
    steps: [
      'run one --image=nginx --labels=app=one --port=80 --env=A=b',
      quiet('wait pod/one --for=condition=Ready --timeout=180s'),
      'get pod one',
      'get pod one --show-labels',
      'run one --image=nginx',
      'run two --image=nginx --dry-run=client -o yaml',
      'run two --image=nginx --dry-run=server -o name',
      'run three --image=nginx --expose --port=80 --dry-run=server',
      'wait pod/one --for=condition=Ready',
      "wait pod/one --for=jsonpath='{.status.phase}'=Running",
      'wait pod/one --for=condition=Nonsense --timeout=1s',
      'wait pod/none --for=condition=Ready --timeout=1s',
      'wait pod/none --for=delete --timeout=1s',
      'wait configmap/none --for=create --timeout=1s',
      'debug one --image=busybox --container=dbg --attach=false',
      "get pod one -o jsonpath='{.spec.ephemeralContainers[*].name}'",
      'logs none',
      'logs one -c none',
      'exec none -- ls',
      'cp none:/x /tmp/none',
      'port-forward none 1234',
      'attach none',
      'label pod one app=changed --overwrite',
      'patch pod one --type=merge -p \'{"spec":{"containers":[{"name":"one","image":"nginx:2"}]}}\'',
      'patch pod one -p \'{"spec":{"terminationGracePeriodSeconds":3}}\'',
      'set image pod/one one=nginx:3',
      'expose pod one --port=80',
      'get endpointslices -l kubernetes.io/service-name=one -o custom-columns=P:.ports[*].port,T:.addressType',
      'events --for=pod/none',
      'delete pod one --grace-period=0 --force',
      'delete pod one --now',
    ],
  },
];
