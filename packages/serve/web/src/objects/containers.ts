interface PodSpec {
  containers?: { name: string }[];
  initContainers?: { name: string }[];
}

/** Names of a pod's containers: that of the default annotation first, init containers last. */
export function containersOf(pod: unknown): string[] {
  const { spec = {}, metadata = {} } = (pod ?? {}) as {
    spec?: PodSpec;
    metadata?: { annotations?: Record<string, string> };
  };
  const names = [...(spec.containers ?? []), ...(spec.initContainers ?? [])].map(({ name }) => name);
  const first = metadata.annotations?.['kubectl.kubernetes.io/default-container'];
  return first !== undefined && names.includes(first) ? [first, ...names.filter((name) => name !== first)] : names;
}
