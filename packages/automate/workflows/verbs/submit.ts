import { driverOf, withKey } from '../model/artifacts.ts';
import type { Artifact, ArtifactLocation, Parameter, Workflow } from '../model/types.ts';

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
  /** Upstream says so of some that nothing was wrong with the server. */
  readonly isBadRequest: boolean;

  constructor(message: string, { isBadRequest = false }: { isBadRequest?: boolean } = {}) {
    super(message);
    this.isBadRequest = isBadRequest;
  }
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

/** Keys of artifacts by their names, from `NAME=KEY`. Throws a `VerbError`. */
export function artifactKeys(artifacts: readonly string[]): Map<string, string> {
  return new Map(
    artifacts.map((text) => {
      const at = text.indexOf('=');
      if (at < 1 || at === text.length - 1)
        throw new VerbError(`expected artifact of the form: NAME=KEY. Received: ${text}`);
      return [text.slice(0, at), text.slice(at + 1)];
    }),
  );
}

/** Gives artifacts among the arguments other keys; what a template holds is given by `templateArtifacts`. */
function overrideArtifacts({ spec }: Workflow, artifacts: readonly string[]): void {
  const keys = artifactKeys(artifacts);
  if (keys.size === 0 || spec.workflowTemplateRef) return;
  spec.arguments = {
    ...spec.arguments,
    artifacts: withKeys(spec.arguments?.artifacts ?? [], keys, { onlyThose: false }),
  };
}

/**
 * Artifacts among the arguments of a template that get other keys, for a workflow made from it. One that says nothing of its place is
 * put into `repository`. Throws a `VerbError` for a name that the template does not have.
 */
export function templateArtifacts(
  artifacts: readonly Artifact[],
  keys: ReadonlyMap<string, string>,
  repository: ArtifactLocation | undefined,
): Artifact[] {
  const placed = artifacts.map((artifact) =>
    keys.has(artifact.name) && !driverOf(artifact) && repository ? { ...artifact, ...repository } : artifact,
  );
  return withKeys(placed, keys, { onlyThose: true });
}

function withKeys(
  artifacts: readonly Artifact[],
  keys: ReadonlyMap<string, string>,
  { onlyThose }: { onlyThose: boolean },
): Artifact[] {
  const unknown = [...keys.keys()].filter((name) => !artifacts.some((artifact) => artifact.name === name)).sort();
  if (unknown.length > 0) throw new VerbError(`artifact override(s) matched no artifact: ${unknown.join(', ')}`);
  return artifacts.flatMap((artifact) => {
    const key = keys.get(artifact.name);
    if (key === undefined) return onlyThose ? [] : [artifact];
    try {
      return [withKey(artifact, key)];
    } catch (error) {
      throw new VerbError(`failed to set key for artifact ${artifact.name}: ${(error as Error).message}`);
    }
  });
}

/** Gives arguments of the workflow other values, or adds them. */
export function overrideParameters({ spec, status }: Workflow, parameters: readonly string[]): void {
  if (parameters.length === 0) return;
  const written = spec.arguments?.parameters ?? [];
  const given = parameters.map((text): Parameter => {
    const at = text.indexOf('=');
    if (at < 1) throw new VerbError(`expected parameter of the form: NAME=VALUE. Received: ${text}`);
    const name = text.slice(0, at);
    // what may be chosen from counts for the new value too
    const choices = written.find((parameter) => parameter.name === name)?.enum;
    return { name, value: text.slice(at + 1), ...(choices ? { enum: choices } : {}) };
  });
  const names = new Set(given.map(({ name }) => name));
  const others = written.filter(({ name }) => !names.has(name));
  const all = [...given, ...others];
  spec.arguments = { ...spec.arguments, parameters: all };
  const stored = status?.storedWorkflowTemplateSpec;
  if (stored) stored.arguments = { ...stored.arguments, parameters: all };
}
