import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formProblems, shownValues } from '../components/forms/form-fields.ts';
import { readKubeconfig } from './kubeconfig.ts';
import {
  projectFields,
  projectValues,
  roleFields,
  roleOf,
  roleValues,
  windowOf,
  windowValues,
  withProjectValues,
} from './project-form.ts';
import { repositoryBody, repositoryFields } from './repository-fields.ts';

test('formProblems() tells what is missing and what cannot be of the fields that are shown', () => {
  const problems = formProblems(repositoryFields, {
    way: 'ssh',
    repo: 'https://example.com/a.git',
    sshPrivateKey: 'x',
  });
  assert.deepEqual([...problems.keys()], ['repo', 'sshPrivateKey']);
  assert.deepEqual([...formProblems(repositoryFields, { way: 'https', repo: 'https://example.com/a.git' })], []);
});

test('repositoryBody() sends what is shown, keys with their new line', () => {
  const values = {
    way: 'github',
    repo: 'https://github.com/a/b',
    password: 'typed before',
    githubAppID: '12',
    githubAppPrivateKey: '  -----BEGIN RSA PRIVATE KEY-----\nx\n-----END RSA PRIVATE KEY-----',
    insecure: 'true',
  };
  assert.deepEqual(repositoryBody(shownValues(repositoryFields, values)), {
    repo: 'https://github.com/a/b',
    githubAppPrivateKey: '-----BEGIN RSA PRIVATE KEY-----\nx\n-----END RSA PRIVATE KEY-----\n',
    insecure: true,
    type: 'git',
    githubAppID: '12',
  });
});

const kubeconfig = `contexts:
- {name: prod, context: {cluster: prod, user: admin}}
- {name: files, context: {cluster: prod, user: files}}
clusters:
- {name: prod, cluster: {server: 'https://k8s.example.com', certificate-authority-data: Q0E=}}
users:
- {name: admin, user: {token: abc}}
- {name: files, user: {client-certificate: /home/cert.pem}}
`;

test('readKubeconfig() gives what a control plane can use, and says why a context is none', () => {
  const [prod, files] = readKubeconfig(kubeconfig);
  assert.deepEqual(prod, {
    name: 'prod',
    server: 'https://k8s.example.com',
    config: { bearerToken: 'abc', tlsClientConfig: { insecure: false, caData: 'Q0E=' } },
  });
  assert.match(files?.problem ?? '', /--flatten/);
  assert.throws(() => readKubeconfig('a: 1'), /no contexts/);
});

test('withProjectValues() sets and takes back who syncs act as and the keys, and keeps what it does not ask for', () => {
  const project = {
    metadata: { name: 'pay' },
    spec: {
      orphanedResources: { warn: true, ignore: [{ kind: 'ConfigMap' }] },
      signatureKeys: [{ keyID: '4AEE18F83AFDEB23' }],
    },
  };
  const values = projectValues(project);
  assert.equal(values.signatureKeys, '4AEE18F83AFDEB23');
  const changed = withProjectValues(project, {
    ...values,
    serviceAccounts: '* pay-* deployer',
    signatureKeys: '',
    orphans: '',
  });
  assert.deepEqual(changed.spec.destinationServiceAccounts, [
    { server: '*', namespace: 'pay-*', defaultServiceAccount: 'deployer' },
  ]);
  assert.equal(changed.spec.signatureKeys, undefined);
  assert.deepEqual(changed.spec.orphanedResources, { warn: false, ignore: [{ kind: 'ConfigMap' }] });
  assert.deepEqual(projectValues(changed).serviceAccounts, '* pay-* deployer');
});

test('withProjectValues() reads signatures and orphans by line, and keeps an entry as it was written', () => {
  const project = {
    metadata: { name: 'pay' },
    spec: { orphanedResources: { ignore: [{ kind: 'ConfigMap' }] } },
  };
  const values = projectValues(project);
  assert.deepEqual([values.ignoredOrphans, values.orphans, values.integrity], ['ConfigMap *', 'true', '']);
  const given = {
    ...values,
    ignoredOrphans: 'ConfigMap *\nbatch/Job nightly-*',
    integrity: 'https://git.example.com/*,!https://git.example.com/x strict 0x4AEE18F83AFDEB23\n* none',
  };
  assert.deepEqual([...formProblems(projectFields, given)], []);
  const { spec } = withProjectValues(project, given);
  assert.deepEqual(spec.orphanedResources?.ignore, [
    { kind: 'ConfigMap' },
    { group: 'batch', kind: 'Job', name: 'nightly-*' },
  ]);
  assert.deepEqual(spec.sourceIntegrity?.git?.policies, [
    {
      repos: [{ url: 'https://git.example.com/*' }, { url: '!https://git.example.com/x' }],
      gpg: { mode: 'strict', keys: ['4AEE18F83AFDEB23'] },
    },
    { repos: [{ url: '*' }], gpg: { mode: 'none', keys: [] } },
  ]);
  assert.equal(withProjectValues({ ...project, spec }, { ...given, integrity: '' }).spec.sourceIntegrity, undefined);
  for (const integrity of ['* head', '* always 4AEE18F83AFDEB23', '* strict key'])
    assert.deepEqual([...formProblems(projectFields, { ...given, integrity }).keys()], ['integrity'], integrity);
});

test('roleOf() writes policies about more than applications, and keeps those that the form does not tell', () => {
  const role = {
    name: 'ci',
    policies: [
      'p, proj:pay:ci, applications, sync, pay/shop-*, allow',
      'p, proj:pay:ci, exec, create, pay/*, deny',
      'p, proj:pay:ci, projects, get, pay, allow',
    ],
  };
  const values = roleValues(role, 'pay');
  assert.equal(values.may, 'sync shop-*\n!exec create *');
  const given = { ...values, may: `${values.may}\nlogs get *` };
  assert.deepEqual([...formProblems(roleFields, given)], []);
  assert.deepEqual(roleOf(given, 'pay', role).policies, [
    'p, proj:pay:ci, applications, sync, pay/shop-*, allow',
    'p, proj:pay:ci, exec, create, pay/*, deny',
    'p, proj:pay:ci, logs, get, pay/*, allow',
    'p, proj:pay:ci, projects, get, pay, allow',
  ]);
  for (const may of ['sync', 'secrets get *', 'get a,b', 'logs get * more'])
    assert.deepEqual([...formProblems(roleFields, { ...values, may }).keys()], ['may'], may);
});

test('windowOf() and windowValues() are each other turned round', () => {
  const window = {
    kind: 'deny',
    schedule: '0 22 * * *',
    duration: '8h',
    applications: ['shop-*', 'pay'],
    namespaces: ['prod'],
    clusters: ['east'],
    timeZone: 'Europe/Berlin',
    description: 'Nights',
    manualSync: true,
    andOperator: true,
  };
  assert.deepEqual(windowOf(windowValues(window)), window);
  const plain = { kind: 'allow', schedule: '0 8 * * 1-5', duration: '10h', applications: ['*'] };
  assert.deepEqual(windowOf(windowValues(plain)), plain);
});
