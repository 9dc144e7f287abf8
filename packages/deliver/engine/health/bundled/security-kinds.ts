import type { KubeObject } from '@tiphys/kubernetes';
import { numberAt, objectsAt, textAt, valueAt } from '../../model/fields.ts';
import type { Health } from '../../model/model.ts';
import { health } from '../conditions.ts';
import {
  type Check,
  type Checks,
  conditions,
  field,
  firstOf,
  forKinds,
  hasStatus,
  isSeen,
  listAt,
  ranked,
  ready,
  when,
} from './check.ts';

const certificate = firstOf(
  ['Progressing', 'Waiting for certificate'],
  ranked(when('Issuing', 'True', 'Progressing')),
  conditions(when('Ready', 'False', 'Degraded'), when('Ready', 'True', 'Healthy')),
);

/** The last condition alone counts. */
const clusterExternalSecret: Check = (object) => {
  const last = objectsAt(object, 'status', 'conditions').at(-1);
  const codes: Readonly<Record<string, Health['status']>> = {
    Ready: 'Healthy',
    PartiallyReady: 'Degraded',
    NotReady: 'Degraded',
  };
  const code = last?.status === 'True' ? codes[textAt(last, 'type')] : undefined;
  return code ? health(code, textAt(last, 'message')) : health('Progressing', 'Waiting for ClusterExternalSecret');
};

const oldExternalSecret: Check = (object) => {
  const status = textAt(object, 'status', 'status');
  if (status === 'SUCCESS') return health('Healthy', 'Fetched ExternalSecret.');
  return status.startsWith('ERROR')
    ? health('Degraded', status.replaceAll('ERROR, ', ''))
    : health('Progressing', 'Waiting for ExternalSecret.');
};

/** What was found last comes first: conditions are read in the order in which they changed. */
const keycloak: Check = (object) => {
  if (!Array.isArray(valueAt(object, 'status', 'conditions')))
    return health('Progressing', 'Waiting for Keycloak status conditions to exist');
  const at = (condition: unknown) => textAt(condition, 'lastTransitionTime') || '~';
  const list = objectsAt(object, 'status', 'conditions').sort((a, b) => (at(a) < at(b) ? -1 : at(a) > at(b) ? 1 : 0));
  for (const condition of list) {
    if (condition.status !== 'True') continue;
    if (condition.type === 'Ready') return health('Healthy');
    if (condition.type === 'HasErrors') return health('Degraded', `Has Errors: ${textAt(condition, 'message')}`);
  }
  return health('Progressing');
};

const role: Check = (object) => {
  const [name, arn, id] = ['roleName', 'roleARN', 'roleID'].map((key) => textAt(object, 'status', key) || '<none>');
  const state = textAt(object, 'status', 'state');
  if (state === 'Ready') return health('Healthy', `Role '${name}' exists with ARN '${arn}' and ID '${id}'.`);
  if (!['Error', 'RolesMaxLimitReached', 'PolicyNotAllowed', 'RoleNameNotAvailable'].includes(state))
    return health('Progressing', 'Waiting for Iamrole to be reconciled');
  const retries = numberAt(object, 'status', 'retryCount') ?? 0;
  const retry = retries > 0 ? `(retry ${retries}) ` : '';
  const error = textAt(object, 'status', 'errorDescription');
  const cause = error ? ` Reconciliation error was: ${error}` : '';
  const told = `Failed to reconcile the Iamrole ${retry}for role '${name}' with ARN '${arn}' and ID '${id}'.`;
  return health('Degraded', told + cause);
};

const unreported = health('Progressing', 'Waiting for the status to be reported');
const stale = health('Progressing', 'Waiting for the status to be updated');
const compliance = (object: KubeObject) => textAt(object, 'status', 'compliant');
const verdict = (object: KubeObject) => (compliance(object) === 'Compliant' ? 'Healthy' : 'Degraded');

const certificatePolicy: Check = (object) => {
  if (!compliance(object)) return unreported;
  return verdict(object) === 'Healthy'
    ? health('Healthy', 'All certificates found comply with the policy')
    : health('Degraded', 'At least once certificate does not comply with the policy');
};

const configurationPolicy: Check = (object) => {
  if (!compliance(object)) return unreported;
  if (!isSeen(object, valueAt(object, 'status', 'lastEvaluatedGeneration'))) return stale;
  if (!Array.isArray(valueAt(object, 'status', 'compliancyDetails')))
    return health('Progressing', 'Waiting for compliance');
  const told = objectsAt(object, 'status', 'compliancyDetails')
    .flatMap((detail) => objectsAt(detail, 'conditions'))
    .filter(({ message, type }) => message !== undefined && type !== undefined)
    .map(({ message, type }) => `${type} - ${message}`);
  return health(verdict(object), told.join('; '));
};

const operatorPolicy: Check = (object) => {
  if (!Array.isArray(valueAt(object, 'status', 'conditions'))) return unreported;
  const observed = valueAt(object, 'status', 'observedGeneration');
  if (observed !== undefined && !isSeen(object, observed)) return stale;
  const found = conditions(when('Compliant', 'True', 'Healthy'), { type: 'Compliant', code: 'Degraded' })(object);
  return found ?? health('Progressing', 'Waiting for the compliance condition');
};

/** A policy of the hub tells by cluster, its copies on the clusters by template. */
const policy: Check = (object) => {
  if (valueAt(object, 'spec', 'disabled') === true) return health('Healthy', 'Policy is disabled');
  if (!hasStatus(object)) return unreported;
  const byCluster = valueAt(object, 'status', 'status');
  if (!compliance(object))
    return byCluster === undefined && listAt(object, 'status', 'placement').length > 0
      ? health('Healthy', 'No clusters match this policy')
      : unreported;
  const tell = (what: string, entries: readonly unknown[], nameOf: (entry: unknown) => string) => {
    const names = entries.filter((entry) => textAt(entry, 'compliant') !== 'Compliant').map(nameOf);
    const told = names.length > 0 ? `NonCompliant ${what}: ${names.join(', ')}` : `All ${what} are compliant`;
    return health(verdict(object), told);
  };
  if (Array.isArray(byCluster)) return tell('clusters', byCluster, (entry) => textAt(entry, 'clustername'));
  const details = valueAt(object, 'status', 'details');
  if (Array.isArray(details)) return tell('templates', details, (entry) => textAt(entry, 'templateMeta', 'name'));
  return health(verdict(object));
};

const cloudService: Check = (object) => {
  if (!Array.isArray(valueAt(object, 'status', 'conditions'))) return health('Progressing', 'Waiting for status');
  for (const condition of objectsAt(object, 'status', 'conditions')) {
    const { observedGeneration: seen, type, status } = condition;
    if (seen !== undefined && object.metadata.generation !== undefined && !isSeen(object, seen))
      return health('Progressing', 'Waiting for spec update to be observed');
    if ((type === 'Succeeded' && status === 'False') || (type === 'Failed' && status === 'True'))
      return health('Degraded', textAt(condition, 'message'));
  }
  return health('Healthy', 'Ready to use');
};

/** Kinds of secrets, certificates, identities and policies. */
export const securityKinds: Checks = {
  'bitnami.com/SealedSecret': firstOf(
    ['Progressing', 'Waiting for Sealed Secret to be decrypted'],
    conditions(when('Synced', 'False', 'Degraded'), when('Synced', 'True', 'Healthy')),
  ),
  'cert-manager.io/Certificate': certificate,
  'cert-manager.io/ClusterIssuer': ready('Initializing ClusterIssuer'),
  'cert-manager.io/Issuer': ready('Initializing issuer'),
  'certmanager.k8s.io/Certificate': ready('Waiting for certificate'),
  'certmanager.k8s.io/Issuer': ready('Initializing issuer'),
  'external-secrets.io/ClusterExternalSecret': clusterExternalSecret,
  ...forKinds('external-secrets.io', ['ClusterSecretStore', 'ExternalSecret', 'PushSecret', 'SecretStore'], (kind) =>
    ready(`Waiting for ${kind}`),
  ),
  'iammanager.keikoproj.io/Iamrole': role,
  'k8s.keycloak.org/Keycloak': keycloak,
  'kubernetes-client.io/ExternalSecret': oldExternalSecret,
  'kyverno.io/Policy': (object) => {
    const good = objectsAt(object, 'status', 'conditions').some(
      ({ type, status, reason, message }) =>
        type === 'Ready' && status === 'True' && reason === 'Succeeded' && message === 'Ready',
    );
    return good ? health('Healthy', 'Policy is ready') : health('Progressing', 'Waiting for Policy to be ready');
  },
  'onepassword.com/OnePasswordItem': ready('Waiting for controller to report status'),
  'policy.open-cluster-management.io/CertificatePolicy': certificatePolicy,
  'policy.open-cluster-management.io/ConfigurationPolicy': configurationPolicy,
  'policy.open-cluster-management.io/OperatorPolicy': operatorPolicy,
  'policy.open-cluster-management.io/Policy': policy,
  ...forKinds('services.cloud.sap.com', ['ServiceBinding', 'ServiceInstance'], () => cloudService),
  'tower.ansible.com/AnsibleJob': (object) => {
    const told = (status: string) => `${status} job - ${textAt(object, 'status', 'ansibleJobResult', 'url')}`;
    return firstOf(
      ['Progressing', 'Waiting for AnsibleJob'],
      field(['status', 'ansibleJobResult', 'status'], {
        successful: ['Healthy', told],
        failed: ['Degraded', told],
        error: ['Degraded', told],
        canceled: ['Degraded', told],
        new: ['Progressing', told],
        pending: ['Progressing', told],
        waiting: ['Progressing', told],
        running: ['Progressing', told],
      }),
    )(object);
  },
};
