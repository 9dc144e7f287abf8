import type { Parameter, Workflow } from '../model/types.ts';

/** What somebody wants of a workflow as it is handed in; the rest is as written. */
export interface SubmitOptions {
  readonly name?: string | undefined;
  readonly generateName?: string | undefined;
  readonly namespace?: string | undefined;
  readonly entrypoint?: string | undefined;
  readonly serviceAccount?: string | undefined;
  readonly priority?: number | undefined;
  /** `NAME=VALUE`. */
  readonly parameters?: readonly string[];
  /** `NAME=KEY` of arguments that are artifacts. */
  readonly artifacts?: readonly string[];
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly podPriorityClassName?: string | undefined;
  readonly ownerReference?: object | undefined;
}

/** A verb cannot be done; the message says why. */
export class VerbError extends Error {
  override name = 'VerbError';
}

/** The workflow as it is to be created. Throws a `VerbError`. */
export function submitted(workflow: Workflow, options: SubmitOptions): Workflow {
  const copy = structuredClone(workflow);
  const { metadata, spec } = copy;
  if (options.entrypoint) spec.entrypoint = options.entrypoint;
  if (options.serviceAccount) spec.serviceAccountName = options.serviceAccount;
  if (options.priority !== undefined) spec.priority = options.priority;
  if (options.podPriorityClassName) spec.podPriorityClassName = options.podPriorityClassName;
  if (options.ownerReference)
    metadata.ownerReferences = [...(metadata.ownerReferences ?? []), options.ownerReference as never];
  if (options.annotations) metadata.annotations = { ...metadata.annotations, ...options.annotations };
  if (options.labels) metadata.labels = { ...metadata.labels, ...options.labels };
  if (options.generateName) metadata.generateName = options.generateName;
  if (options.name) metadata.name = options.name;
  if (options.namespace) metadata.namespace = options.namespace;
  overrideParameters(copy, options.parameters ?? []);
  overrideArtifacts(copy, options.artifacts ?? []);
  return copy;
}

/** Gives artifacts among the arguments other keys. */
function overrideArtifacts({ spec }: Workflow, artifacts: readonly string[]): void {
  for (const text of artifacts) {
    const at = text.indexOf('=');
    if (at < 1 || at === text.length - 1)
      throw new VerbError(`expected artifact of the form: NAME=KEY. Received: ${text}`);
    const artifact = spec.arguments?.artifacts?.find(({ name }) => name === text.slice(0, at));
    const location = Object.values(artifact ?? {}).find(
      (value): value is { key?: string } => value !== null && typeof value === 'object' && 'key' in value,
    );
    if (!location)
      throw new VerbError(`the workflow has no argument ${text.slice(0, at)} that is an artifact with a key`);
    location.key = text.slice(at + 1);
  }
}

/** Gives arguments of the workflow other values, or adds them. */
export function overrideParameters({ spec, status }: Workflow, parameters: readonly string[]): void {
  if (parameters.length === 0) return;
  const given = parameters.map((text): Parameter => {
    const at = text.indexOf('=');
    if (at < 1) throw new VerbError(`expected parameter of the form: NAME=VALUE. Received: ${text}`);
    return { name: text.slice(0, at), value: text.slice(at + 1) };
  });
  const names = new Set(given.map(({ name }) => name));
  const others = (spec.arguments?.parameters ?? []).filter(({ name }) => !names.has(name));
  const all = [...given, ...others];
  spec.arguments = { ...spec.arguments, parameters: all };
  const stored = status?.storedWorkflowTemplateSpec;
  if (stored) stored.arguments = { ...stored.arguments, parameters: all };
}
