/** Of what self-management makes in the namespace of the control plane. */
export const own = {
  /** ConfigMap: the state. */
  state: 'tiphys-self-management',
  /** Secret: what was before, and the pod that is to come. */
  record: 'tiphys-self-management-record',
  candidate: 'tiphys-candidate',
  /** ConfigMap that the candidate writes. */
  report: 'tiphys-candidate-report',
  guard: 'tiphys-guard',
} as const;

/** Label of everything that is removed when a delivery has ended; its value is `candidate` or `guard`. */
export const partLabel = 'tiphys.dev/self-management';

/** Variable that tells a process that it is `candidate`, `candidate-without-api` or `guard`. */
export const roleVariable = 'TIPHYS_SELF_MANAGEMENT';

/** Value for a candidate that serves no API. */
export const silentCandidate = 'candidate-without-api';

/** Annotations of the Application that delivers Tiphys. */
export const annotations = {
  /** `off` delivers new versions without proof and guard. */
  mode: 'tiphys.dev/self-management',
  /** How long a candidate must run without a fault, as a duration of Go; 1m if absent. */
  proof: 'tiphys.dev/proof-period',
  /** How long the new version is watched; 10m if absent. */
  watch: 'tiphys.dev/watch-period',
} as const;

/** Names of the workload that delivers. */
export const controllerName = 'argocd-application-controller';
export const serverName = 'argocd-server';
