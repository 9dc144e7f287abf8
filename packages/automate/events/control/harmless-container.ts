import { defineDiagnosis, failure } from '@tiphys/diagnosis';

const containerRefused = defineDiagnosis(
  'EventsContainerRefused',
  'The template of an EventSource or Sensor asks for rights that its container must not have',
);

/** What an author may say of the container: what it may use, not what it runs or which rights it has. */
const harmless = new Set(['env', 'envFrom', 'imagePullPolicy', 'resources', 'securityContext', 'volumeMounts']);

/** Of its security context: what gives no rights. `false` is harmless for all. */
const harmlessContext = new Set([
  'readOnlyRootFilesystem',
  'runAsGroup',
  'runAsNonRoot',
  'runAsUser',
  'seccompProfile',
  'seLinuxOptions',
]);

/**
 * `spec.template.container` without rights: who may create an EventSource or Sensor has it run under the account that he names, and
 * must not become root of a node by that (CVE-2025-32445). Throws for every field that is not harmless.
 */
export function harmlessContainer(container: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const context = (container['securityContext'] ?? {}) as Record<string, unknown>;
  const capabilities = (context['capabilities'] ?? {}) as { add?: readonly string[] };
  const refused = [
    ...Object.keys(container).filter((field) => !harmless.has(field) && field !== 'name'),
    ...Object.keys(context)
      .filter((field) => field !== 'capabilities' && context[field] !== false && !harmlessContext.has(field))
      .map((field) => `securityContext.${field}`),
    ...(capabilities.add?.length ? ['securityContext.capabilities.add'] : []),
  ];
  if (refused.length === 0) return { ...container };
  throw failure(containerRefused, {
    message: `spec.template.container sets what its author may not: ${refused.join(', ')}`,
    place: { field: `spec.template.container.${refused[0]}` },
    remedies: [`Remove it; ${[...harmless].join(', ')} may be set`],
  });
}
