import { type CommandCase, configMaps, idle, quiet } from './command-cases.ts';

const kustomization = {
  'site/kustomization.yaml': `resources: [map.yaml]
namePrefix: my-
commonLabels: {team: web}
configMapGenerator: [{name: gen, literals: [a=b]}]
images: [{name: nginx, newTag: '9'}]
`,
  'site/map.yaml': configMaps,
};

/** A request of jane in team. */
const request =
  'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlJQ1l6Q0NBVXNDQVFBd0hqRU5NQXNHQTFVRUNnd0VkR1ZoYlRFTk1Bc0dBMVVFQXd3RWFtRnVaVENDQVNJdwpEUVlKS29aSWh2Y05BUUVCQlFBRGdnRVBBRENDQVFvQ2dnRUJBS3B4L2Y3dDFwSTVISnB0UEl1K09laCtTMUpFCjM0QmI3Tzh1MzFDaUJkeWYvejRjZElmSUxIM2pUNzlRbm5rZG93T3c4Wlh0OU5iblhCOGYzS0hPczYrZUo4elUKSXFiMzNKR3hOSzIxcUxrRzJEZUExNndHbm03bU1XZWROak01NjdBUGNXakhxdTF4U0tqS1FBZ0FMNUFSYnFMTgpSWXhyWDVlOUhzamhOWEpHSXdUM1RGWlJRUWJVbUdGTTlGTWZJZU44TUhjcWRKWXB4L0UzWEVLZHZZdGw2Z3E0CnFwU1VZamkzTyt1ekxtY1Z2cHE0ejJvb1Zpc1hJYllzYVdjTnhidk1pRGFrTi9Kcy8xQnI5cC9CdEdTcDAwUXQKSXVOYkMveDRSb3Azbmp5a1ZuSzdZYTYrRGhzM1lEd0N4SEpiSmZwdUJ5ZE9wVGtyWXQvYUxQdVM3TThDQXdFQQpBYUFBTUEwR0NTcUdTSWIzRFFFQkN3VUFBNElCQVFCM2JPWnF3SWRDUnRvQXpZOWtwMFdmeEhSeVptRXJvZDljCjN4VURzTkJxQUhualFoN0s2cHBWZUJaekcyWDdXd01mVmJVelZQMWdrQXM4RGZFUnZoOEZGT0gzZk1IR1F5RFgKYmNtZzYzR3pMdmFCNDcweGVidTgyQ2VFSk5HeWxLTmdFRHBuaXV4WTFJOWUzVEVsVWF4WFN3SXZMdEtCM2JmZwp2eUVJV3BMYzYzYzRDZENQVXJ5Vk9xUHVUQWZ3K0lLRUFBWlEyZzFBMUpEdjkyVEIyNGJUNFdDRGVWWjA5bCtGCndXUHVjUFV4ZTd1d3BwckZ4a0gybGMreUlPZEYwZS9JYmY5TlVXdlVIUDhsV3NNL2hEdzhlaml3eUtSSFF2dE0KeWRpWXdtaU9VUjdNVWpkY29PUXFqUUhxbTFsL1pOUnFyaE1JRDcybC9FYlg2Sml5dktTVwotLS0tLUVORCBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0K';

const signing = (name: string, text: string, signer = 'kubernetes.io/kube-apiserver-client') => ({
  run: 'create -f -',
  input: `apiVersion: certificates.k8s.io/v1
kind: CertificateSigningRequest
metadata: {name: NAMESPACE-${name}}
spec: {request: ${text}, signerName: ${signer}, usages: [client auth], expirationSeconds: 3600}
`,
});

/** Fails at first, and says something else when it is shown what was wrong. */
const correcting = (bad: string, good: string) =>
  `if grep -q '^# .*\\(Invalid\\|invalid\\|error\\|Forbidden\\)' $1; then ${good}; else ${bad}; fi`;

export const clientCases: readonly CommandCase[] = [
  {
    name: 'kustomize',
    steps: [
      { run: 'kustomize FOLDER/site', files: kustomization },
      'kustomize FOLDER/nothing',
      'diff -k FOLDER/nothing',
      'apply -k FOLDER/site',
      'apply -k FOLDER/site',
      'apply -k FOLDER/site --server-side --force-conflicts',
      'get -k FOLDER/site',
      'get -k FOLDER/site -o name',
      'diff -k FOLDER/site',
      'replace -k FOLDER/site',
      'annotate -k FOLDER/site a=b',
      'apply -k FOLDER/site -f FOLDER/site/map.yaml',
      'delete -k FOLDER/site',
      'create -k FOLDER/site --dry-run=server -o name',
    ],
  },
  {
    name: 'files',
    steps: [
      {
        run: 'apply -f FOLDER/many',
        files: {
          'many/a.yaml': configMaps,
          'many/b.json': '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"three"}}',
          'many/c.txt': 'not read',
          'many/sub/d.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: four}\n',
        },
      },
      'apply -f FOLDER/many -R',
      'get -f FOLDER/many -R --no-headers -o name',
      'apply -f FOLDER/none.yaml',
      'apply -f FOLDER/many/c.txt',
      { run: 'apply -f FOLDER/broken.yaml', files: { 'broken.yaml': 'a: [1\n' } },
      {
        run: 'apply -f FOLDER/list.yaml',
        files: {
          'list.yaml':
            'apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: ConfigMap, metadata: {name: five}}\n- {apiVersion: v1, kind: Secret, metadata: {name: six}}\n',
        },
      },
      {
        run: 'create configmap files --from-file=FOLDER/one.txt --from-file=other=FOLDER/one.txt',
        files: { 'one.txt': 'text\n', 'env.txt': 'A=b\n# no\nC=d\n' },
      },
      'create configmap env --from-env-file=FOLDER/env.txt',
      'create configmap both --from-env-file=FOLDER/env.txt --from-literal=a=b',
      'create configmap folder --from-file=FOLDER/many',
      'create configmap missing --from-file=FOLDER/missing',
      'get configmap files env folder -o jsonpath=\'{range .items[*]}{.data}{"\\n"}{end}\'',
      'create configmap hashed --from-literal=a=b --append-hash',
      'create secret generic env --from-env-file=FOLDER/env.txt --type=example.com/x',
      'create secret tls cert --cert=FOLDER/one.txt --key=FOLDER/one.txt',
      'create secret generic plain --from-file=FOLDER/one.txt -o yaml',
      'create clusterrole NAMESPACE --verb=get --non-resource-url=/logs/*',
      'create clusterrole NAMESPACE --verb=get --resource=pods --non-resource-url=/x',
      'delete clusterrole NAMESPACE',
      "create ingress all --default-backend=web:80 --annotation=a=b --rule='/path*=web:80'",
      "create ingress bad --rule='nonsense'",
      'create service nodeport node --tcp=80:8080 --node-port=30000000',
      'create service clusterip headless --clusterip=None',
      'create deployment many --image=a --image=b --replicas=0',
      'create deployment command --image=a --replicas=0 -- run this',
      'create deployment many --image=a --image=b -- run',
      'create job once --image=busybox --dry-run=client -o yaml -- echo hi',
      'create serviceaccount robot',
      'create secret generic held',
      'create token robot --bound-object-kind=Secret --bound-object-name=none',
      'create token robot --bound-object-kind=Nonsense --bound-object-name=x',
      quiet('create token robot --bound-object-kind=Secret --bound-object-name=held --audience=me --duration=1h'),
      'create role empty --verb=get',
      'create quota scoped --hard=pods=1 --scopes=BestEffort',
      'create quota bad --hard=pods=x',
      'create pdb one --selector=app=x',
      'create rolebinding b --role=x --clusterrole=y',
      'create nonsense',
      'create',
    ],
  },
  {
    name: 'edit',
    steps: [
      { run: 'apply -f -', input: `${configMaps}---\n${idle}` },
      {
        run: 'edit configmap one',
        editor: correcting("sed -i 's/color: red/color: 3/' $1", "sed -i 's/color: 3/color: green/' $1"),
      },
      {
        run: 'edit deployment shop',
        editor: correcting(
          "sed -i 's/replicas: 0/replicas: -1/' $1",
          "sed -i 's/replicas: -1/replicas: 0/; s/minimum: x//' $1",
        ),
      },
      { run: 'edit deployment shop', editor: correcting("sed -i 's/name: web$/name: Bad_Name/' $1", 'exit 0') },
      {
        run: 'edit configmap one',
        editor: correcting("sed -i 's/name: one/name: other/' $1", "sed -i 's/name: other/name: one/' $1"),
      },
      { run: 'edit configmap one', editor: 'exit 3' },
      { run: 'edit configmap one', editor: ': > $1' },
      { run: 'edit configmap one --save-config', editor: 'sed -i s/green/blue/ $1' },
      { run: 'edit configmap one two', editor: 'sed -i s/blue/black/ $1' },
      { run: 'edit deployment shop --subresource=scale', editor: 'sed -i s/x/x/ $1' },
      { run: 'edit -f -', editor: 'true', input: configMaps },
      { run: 'edit configmap none', editor: 'true' },
      { run: 'create configmap unused --dry-run=client -o yaml --from-literal=a=b' },
      { run: 'create -f - --edit', editor: 'sed -i s/black/white/ $1', input: configMaps },
      'get configmaps one two -o jsonpath={.items[*].data}',
    ],
  },
  {
    name: 'diff',
    steps: [
      { run: 'apply -f -', input: configMaps },
      { run: 'diff -f -', input: configMaps },
      ...['', '--server-side', '--field-manager=other --server-side --force-conflicts', '--show-managed-fields'].map(
        (flags) => ({
          run: `diff -f - ${flags}`.trim(),
          input: configMaps.replace('red', 'green').replace('name: two', 'name: new'),
          // its output has no names of temporary files
          env: { KUBECTL_EXTERNAL_DIFF: 'true' },
        }),
      ),
      { run: 'diff -f -', input: configMaps.replace('red', 'green'), env: { KUBECTL_EXTERNAL_DIFF: 'false' } },
      { run: 'diff -f -', input: 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: Bad_Name}\n' },
      { run: 'diff -f -', input: 'apiVersion: v1\nkind: Nonsense\nmetadata: {name: x}\n' },
      {
        run: 'diff -f - --prune -l app=a',
        input: configMaps.split('---')[0] as string,
        env: { KUBECTL_EXTERNAL_DIFF: 'true' },
      },
    ],
  },
  {
    name: 'signing',
    steps: [
      signing(
        'broken',
        Buffer.from('-----BEGIN CERTIFICATE REQUEST-----\nMIHU\n-----END CERTIFICATE REQUEST-----\n').toString(
          'base64',
        ),
      ),
      signing('text', 'bm90aGluZw=='),
      signing('given', request),
      signing('refused', request),
      signing('own', request, 'example.com/own'),
      'get csr NAMESPACE-given NAMESPACE-own',
      'certificate approve NAMESPACE-given',
      quiet('wait csr/NAMESPACE-given --for=jsonpath={.status.certificate} --timeout=180s'),
      'certificate approve NAMESPACE-given',
      'certificate deny NAMESPACE-given',
      'get csr NAMESPACE-given',
      'describe csr NAMESPACE-given',
      'certificate deny NAMESPACE-refused',
      'certificate approve NAMESPACE-refused',
      'certificate approve NAMESPACE-refused --force',
      'certificate approve NAMESPACE-own',
      'get csr NAMESPACE-refused NAMESPACE-own -o wide',
      'certificate approve none',
      'certificate deny',
      'certificate nonsense x',
      'delete csr NAMESPACE-given NAMESPACE-refused NAMESPACE-own',
    ],
  },
  {
    name: 'reconcile',
    steps: [
      {
        run: 'auth reconcile -f -',
        input: `apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: reader, labels: {a: b}}
rules: [{apiGroups: [''], resources: [pods], verbs: [get, list]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: reader}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: reader}
subjects: [{kind: User, apiGroup: rbac.authorization.k8s.io, name: jane}]
`,
      },
      {
        run: 'auth reconcile -f - --remove-extra-permissions --remove-extra-subjects',
        input: `apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: reader}
rules: [{apiGroups: [''], resources: [pods], verbs: [get]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: reader}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: reader}
subjects: [{kind: ServiceAccount, namespace: default, name: robot}]
`,
      },
      'get role reader -o yaml',
      'get rolebinding reader -o yaml',
      { run: 'auth reconcile -f - --dry-run=client', input: configMaps },
      'auth can-i get pods --as=system:serviceaccount:default:robot',
      'auth can-i list pods --as=system:serviceaccount:default:robot',
      'auth can-i --list --as=system:serviceaccount:default:robot',
      'auth can-i --list --as=system:anonymous --as-group=system:unauthenticated',
      'auth can-i --list --as=jane --as-group=system:masters',
      'auth can-i list deployments.apps --as=jane --all-namespaces',
      'auth can-i get pods/log --as=jane',
      'auth can-i get pods/x --as=jane',
      'auth can-i use podsecuritypolicies',
      'auth can-i get',
      'auth can-i list nodes --as=jane',
      'auth whoami --as=system:serviceaccount:default:robot -o json',
      'auth whoami --as=jane --as-uid=123 --as-group=a --as-group=b',
    ],
  },
  {
    name: 'forms',
    steps: [
      {
        run: 'apply -f -',
        input: configMaps,
        files: {
          'columns.txt': 'NAME COLOR\n.metadata.name .data.color\n',
          'template.txt': '{{range .items}}{{.metadata.name}}={{.data.color}};{{end}}',
          'path.txt': '{.items[*].metadata.name}',
        },
      },
      'get cm -l app=a -o custom-columns-file=FOLDER/columns.txt',
      'get cm -l app=a -o go-template-file=FOLDER/template.txt',
      'get cm -l app=a -o jsonpath-file=FOLDER/path.txt',
      'get cm -l app=a -o \'jsonpath={.items[?(@.data.size=="large")].metadata.name}\'',
      "get cm -l app=a -o jsonpath='{.items[-1:].metadata.name} {..color}'",
      "get cm -l app=a -o jsonpath='{.items[0'",
      "get cm -l app=a -o go-template='{{.x'",
      'get cm -l app=a -o custom-columns=',
      'get cm -l app=a -o custom-columns=BAD',
      'get cm -l app=a --sort-by=.metadata.none',
      'get cm -l app=a --sort-by={.data.size}',
      'get cm -l app=a --sort-by=.metadata.creationTimestamp -o name',
      'get cm -l app=a --chunk-size=0 -o name',
      'get cm -l app=a --server-print=false',
      'get cm,secret,sa -l app=a --server-print=false --show-kind',
      'get cm one -o yaml --show-managed-fields=false',
      'get cm one --watch=true --request-timeout=1s --output-watch-events',
      'get cm -l app=a --watch --request-timeout=1s -o json',
      'get cm one/two',
      'get cm/one cm/two secret/none',
      'get cm one -l app=a',
      "get cm -l 'a in (b'",
      'get cm --field-selector=metadata.name!=one,metadata.name=two -o name',
      'get cm --field-selector=bad',
      'get ev',
      'get --raw /apis/apps',
      'get --raw /apis/nonsense',
      'get --raw /livez/ping',
      'get --raw=/api/v1/namespaces/NAMESPACE/configmaps?limit=x',
      'get --raw=/.well-known/openid-configuration --as=jane',
      { run: 'get namespaces -o name --chunk-size=1', quiet: true },
      'api-resources --api-group=none',
      'api-resources --sort-by=none',
      'api-resources --verbs=nonsense',
      'api-resources --namespaced --api-group=batch',
      'api-resources --api-group=batch -o nonsense',
      'explain pods --recursive',
      'explain deployments.spec.template.spec.containers.resources',
      'explain hpa --api-version=autoscaling/v1',
      'explain hpa --api-version=autoscaling/v9',
      'explain ingress.spec.rules.http.paths.backend --recursive',
      'explain pods.spec.containers.env.valueFrom',
      'explain pod.metadata.labels',
      'explain pod.spec.containers.name.none',
      'explain jobs --output=nonsense',
      'top pod none',
      'top node none',
      'top pods --sum -A',
      'version --client=false -o json',
      'cluster-info',
      'cluster-info dump --namespaces=NAMESPACE --output-directory=FOLDER/dump',
      'alpha nonsense',
      'wait cm/one --for=delete --timeout=2s',
      'wait cm/later --for=create --timeout=1s',
      'wait cm --all --for=jsonpath={.data.color}=red --timeout=1s',
      'wait cm -l tier=front --for=jsonpath={.data.color}=red',
      'wait cm -l none=none --for=delete',
      'wait cm -l none=none --for=create --timeout=1s',
    ],
  },
];
