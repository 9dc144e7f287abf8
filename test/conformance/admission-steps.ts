import type { Step } from './run-case.ts';

export const registrations = '/apis/admissionregistration.k8s.io/v1';

export const quiet = (step: Step): Step => ({ ...step, quiet: true });

export const named = (name: string, more: object = {}) => ({ metadata: { name, ...more } });
/** Only the case's own namespace is meant, so that cases do not meet. */
export const here = { matchLabels: { 'kubernetes.io/metadata.name': '{ns}' } };
export const rule = (resources: string[], operations = ['*'], apiGroups = ['*']) => ({
  operations,
  apiGroups,
  apiVersions: ['*'],
  resources,
});

export const container = { name: 'main', image: 'registry.example/app:1' };
export const pod = (name: string, spec: object = {}, more: object = {}) => ({
  metadata: { name, ...more },
  spec: { containers: [container], ...spec },
});
