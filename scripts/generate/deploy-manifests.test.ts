import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connect, type KubeObject } from '@tiphys/kubernetes';
import { startSandbox } from '@tiphys/sandbox';
import { parseDocuments } from '@tiphys/yaml';
import { staleManifests, tiphys } from './deploy-manifests.ts';

const objectsOf = (text: string) =>
  parseDocuments(text, { file: 'manifests' }).documents.map(({ value }) => value as unknown as KubeObject);

test('the manifests of deploy/ are what the chart renders', () => assert.deepEqual(staleManifests(), []));

test('an API server takes every object, without a field that it does not know', async (t) => {
  const sandbox = await startSandbox({ controllers: false, nodes: 0 });
  t.after(() => sandbox.close());
  const client = connect(sandbox.config, { caller: { component: 'test', purpose: 'manifests' } });
  t.after(() => client.close());
  await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'argocd' } });
  for (const folder of ['ha', 'rollouts', 'workflows', 'events']) {
    const objects = objectsOf(tiphys('kustomize', 'build', `deploy/${folder}`));
    assert.ok(objects.length > 5, folder);
    for (const object of objects)
      await client.apply(object, { fieldManager: 'test', force: true, fieldValidation: 'Strict' });
  }
});

test('pods satisfy the restricted Pod Security Standard', async (t) => {
  const sandbox = await startSandbox({ controllers: false, nodes: 0 });
  t.after(() => sandbox.close());
  const client = connect(sandbox.config, { caller: { component: 'test', purpose: 'manifests' } });
  t.after(() => client.close());
  const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' };
  await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'argocd', labels } });
  const workloads = objectsOf(
    tiphys(
      'helm',
      'template',
      'tiphys',
      'deploy/chart/tiphys',
      '-n',
      'argocd',
      '--set',
      'rollouts.enabled=true,workflows.enabled=true,workflowsServer.enabled=true,events.enabled=true',
    ),
  ).filter(({ kind }) => kind === 'Deployment' || kind === 'StatefulSet');
  assert.equal(workloads.length, 7);
  for (const { metadata, spec } of workloads) {
    const template = (spec as { template: { metadata: object; spec: object } }).template;
    await client.create({
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: metadata.name ?? '', namespace: 'argocd' },
    });
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { ...template.metadata, name: metadata.name ?? '', namespace: 'argocd' },
      spec: template.spec,
    };
    await client.create(pod, { dryRun: true });
  }
});

test('values of the wrong type are refused with their place', () => {
  assert.throws(
    () => tiphys('helm', 'template', 'tiphys', 'deploy/chart/tiphys', '--set', 'server.replicas=two'),
    /server.replicas|\/server\/replicas/,
  );
});

interface Container {
  readonly image: string;
  readonly env: readonly { readonly name: string; readonly value: string }[];
}

test('pods of workflows get this image, and may report as the ServiceAccounts that the chart names, and no other may', async (t) => {
  const sandbox = await startSandbox({ controllers: false, nodes: 0 });
  t.after(() => sandbox.close());
  const client = connect(sandbox.config, { caller: { component: 'test', purpose: 'manifests' } });
  t.after(() => client.close());
  const set = 'workflows.enabled=true,image.tag=v9,workflows.executor.namespaces={builds,jobs}';
  const objects = objectsOf(
    tiphys('helm', 'template', 'tiphys', 'deploy/chart/tiphys', '-n', 'argocd', '--set', set),
  ).filter(({ metadata }) => ['workflow-executor', 'workflow-controller'].includes(metadata.name ?? ''));
  for (const name of ['argocd', 'builds', 'jobs', 'other'])
    await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  for (const object of objects)
    await client.apply(object, { fieldManager: 'test', force: true, fieldValidation: 'Strict' });
  const deployment = objects.find(({ kind }) => kind === 'Deployment');
  assert.ok(deployment);
  const { template } = deployment.spec as { template: { spec: { containers: Container[] } } };
  const [container] = template.spec.containers;
  assert.equal(container?.image, 'tiphys/tiphys:v9');
  assert.equal(container?.env.find(({ name }) => name === 'ARGO_EXECUTOR_IMAGE')?.value, container?.image);

  const allowed = async (account: string, verb: string, resource: string, namespace: string) => {
    const [name, subresource] = resource.split('/');
    const review = await client.create<KubeObject>({
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SubjectAccessReview',
      metadata: {},
      spec: {
        user: `system:serviceaccount:${account}`,
        resourceAttributes: { group: 'argoproj.io', verb, resource: name, subresource, namespace },
      },
    });
    return (review.status as { allowed: boolean }).allowed;
  };
  for (const namespace of ['builds', 'jobs']) {
    const account = `${namespace}:default`;
    for (const verb of ['create', 'patch'])
      assert.ok(await allowed(account, verb, 'workflowtaskresults', namespace), verb);
    assert.ok(await allowed(account, 'watch', 'workflowtasksets', namespace));
    assert.ok(await allowed(account, 'patch', 'workflowartifactgctasks/status', namespace));
    assert.ok(!(await allowed(account, 'create', 'workflows', namespace)), 'starts no workflows');
    assert.ok(!(await allowed(account, 'delete', 'workflowtaskresults', namespace)));
  }
  assert.ok(!(await allowed('builds:default', 'create', 'workflowtaskresults', 'jobs')), 'in its own namespace alone');
  assert.ok(!(await allowed('builds:other', 'create', 'workflowtaskresults', 'builds')));
  assert.ok(!(await allowed('other:default', 'create', 'workflowtaskresults', 'other')));
});

test('rights in one namespace keep workflows in it, and executors elsewhere are refused', () => {
  const chart = ['helm', 'template', 'tiphys', 'deploy/chart/tiphys', '-n', 'argocd', '--set'];
  const set = 'clusterScoped=false,workflows.enabled=true';
  assert.match(tiphys(...chart, set), /name: ARGO_MANAGED_NAMESPACE\n\s+value: argocd/);
  assert.throws(
    () => tiphys(...chart, `${set},workflows.executor.namespaces={builds}`),
    /workflows.executor.namespaces has builds.* set clusterScoped=true/,
  );
});

test('what pods, accounts, Services and the Ingress are given is in them, and an API server takes it', async (t) => {
  const values = [
    'server.serviceAccountAnnotations.eks\\.amazonaws\\.com/role-arn=arn:aws:iam::1:role/a',
    'server.podAnnotations.team=shop',
    'server.podLabels.mesh=on',
    'server.priorityClassName=high',
    'server.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchFields[0].key=metadata.name',
    'server.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchFields[0].operator=In',
    'server.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchFields[0].values={a}',
    'server.topologySpreadConstraints[0].topologyKey=zone,server.topologySpreadConstraints[0].maxSkew=1',
    'server.topologySpreadConstraints[0].whenUnsatisfiable=ScheduleAnyway',
    'server.volumes[0].name=ca,server.volumes[0].configMap.name=ca',
    'server.volumeMounts[0].name=ca,server.volumeMounts[0].mountPath=/etc/ca',
    'server.service.annotations.lb=internal',
    'server.ingress.enabled=true,server.ingress.className=nginx,server.ingress.hosts={cd.example.com},server.ingress.tlsSecret=cd-tls',
  ];
  const chart = ['helm', 'template', 'tiphys', 'deploy/chart/tiphys', '-n', 'argocd'];
  const objects = objectsOf(tiphys(...chart, ...values.flatMap((value) => ['--set', value])));
  const sandbox = await startSandbox({ controllers: false, nodes: 0 });
  t.after(() => sandbox.close());
  const client = connect(sandbox.config, { caller: { component: 'test', purpose: 'manifests' } });
  t.after(() => client.close());
  await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'argocd' } });
  for (const object of objects)
    await client.apply(object, { fieldManager: 'test', force: true, fieldValidation: 'Strict' });
  const found = (kind: string, name = 'argocd-server') =>
    JSON.stringify(objects.find((object) => object.kind === kind && object.metadata.name === name));
  assert.match(found('ServiceAccount'), /"eks\.amazonaws\.com\/role-arn":"arn:aws:iam::1:role\/a"/);
  const deployment = found('Deployment');
  for (const part of [
    '"annotations":{"team":"shop"}',
    '"mesh":"on"',
    '"priorityClassName":"high"',
    '"affinity":{"nodeAffinity":',
    '"topologyKey":"zone"',
    '{"configMap":{"name":"ca"},"name":"ca"}',
    '"mountPath":"/etc/ca"',
  ])
    assert.ok(deployment.includes(part), part);
  assert.doesNotMatch(deployment, /podAntiAffinity/);
  assert.match(found('Deployment', 'argocd-notifications-controller'), /podAntiAffinity/);
  assert.match(found('Service'), /"lb":"internal"/);
  assert.match(found('Ingress'), /"ingressClassName":"nginx".*"secretName":"cd-tls".*"host":"cd\.example\.com"/);
  for (const wrong of ['server.ingress.enabled=true', 'server.podLabels.app\\.kubernetes\\.io/name=other'])
    assert.throws(() => tiphys(...chart, '--set', wrong), /ingress|podLabels/);
});
