import { misspeltKey } from '@tiphys/diagnosis';

type Data = Readonly<Record<string, string>>;

/** Keys of argocd-cm that say how applications are delivered, by what they may hold. */
const switches = [
  'application.sync.impersonation.enabled',
  'application.sync.impersonation.enforced',
  'cluster.inClusterEnabled',
  'helm.enable',
  'jsonnet.enable',
  'kustomize.enable',
  'resource.ignoreResourceUpdatesEnabled',
];
const others = [
  'application.allowedNodeLabels',
  'application.instanceLabelKey',
  'application.resourceTrackingMethod',
  'globalProjects',
  'helm.valuesFileSchemes',
  'installationID',
  'kustomize.buildOptions',
  'resource.compareoptions',
  'resource.customizations',
  'resource.exclusions',
  'resource.inclusions',
  'resource.respectRBAC',
  'timeout.reconciliation',
  'timeout.reconciliation.jitter',
];
const parameterSwitches = ['controller.diff.server.side', 'reposerver.enable.git.submodule'];
const otherParameters = [
  'application.namespaces',
  'controller.self.heal.backoff.cap.seconds',
  'controller.self.heal.backoff.factor',
  'controller.self.heal.backoff.timeout.seconds',
  'controller.self.heal.timeout.seconds',
  'controller.sharding.algorithm',
  'controller.sync.timeout.seconds',
  'controller.sync.wave.delay.seconds',
  'reposerver.plugin.tar.exclusions',
  'tiphys.render.limits',
  'tiphys.render.weights',
];

const labelKey = /^(?:[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?\/)?[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;
const statusChoices = ['all', 'crd', 'none', 'off', 'false'];

/** What values and names of keys mean nothing, by key: the default holds, and nobody would notice. */
export function oddValues(data: Data, parameters: Data): Map<string, string> {
  return new Map([
    ...oddSwitches(data, switches),
    ...oddSwitches(parameters, parameterSwitches),
    ...misspelt(data, [...switches, ...others]),
    ...misspelt(parameters, [...parameterSwitches, ...otherParameters]),
    ...oddLabelKey(data),
    ...oddComparison(data),
  ]);
}

function oddSwitches(data: Data, keys: readonly string[]): [string, string][] {
  return keys.flatMap((key) => {
    const value = data[key];
    return !value || value === 'true' || value === 'false' ? [] : [[key, `found "${value}", wanted true or false`]];
  });
}

/** A key that differs from a known one by a slip; one that nobody knows may be of a newer version, and is no fault. */
function misspelt(data: Data, known: readonly string[]): [string, string][] {
  return Object.keys(data).flatMap((key) => {
    const reason = known.includes(key) ? undefined : misspeltKey(key, { data, known });
    return reason === undefined ? [] : [[key, reason]];
  });
}

function oddLabelKey(data: Data): [string, string][] {
  const key = 'application.instanceLabelKey';
  const value = data[key];
  return value && !labelKey.test(value) ? [[key, `found "${value}", wanted the key of a label`]] : [];
}

function oddComparison(data: Data): [string, string][] {
  const key = 'resource.compareoptions';
  const [, value] = /^\s{0,100}ignoreResourceStatusField:[ \t]{0,100}["']?([\w-]{1,100})/m.exec(data[key] ?? '') ?? [];
  return value && !statusChoices.includes(value)
    ? [[key, `found ignoreResourceStatusField: ${value}, wanted all, crd or none`]]
    : [];
}
