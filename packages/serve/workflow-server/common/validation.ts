import { type flow, workflowNames } from '@tiphys/api';
import { isForbidden, isNotFound, type KubeObject } from '@tiphys/kubernetes';
import { invalidArgument, notFound } from '@tiphys/server';
import { lintSpec, referencesOf } from '@tiphys/workflows';
import type { FlowCall } from './caller.ts';
import type { ServerParts } from './server-parts.ts';

type Template = flow.Template;
type Holder = KubeObject & { spec?: flow.WorkflowSpec };

export interface ValidationOptions {
  readonly namespace: string;
  /** Arguments need no values yet. */
  readonly isTemplate?: boolean;
  /** Values of arguments are looked at: the workflow is to run now. */
  readonly submits?: boolean;
  /** Where the spec is in the object, for messages; `spec` if absent. */
  readonly field?: string;
}

/** Looks through a spec and the templates that it refers to. Throws InvalidArgument with the first finding. */
export async function validateSpec(
  parts: ServerParts,
  call: FlowCall,
  spec: flow.WorkflowSpec,
  options: ValidationOptions,
): Promise<void> {
  const templates = new Templates(parts, call, options.namespace);
  const { workflowTemplateRef: ref } = spec;
  let whole = spec;
  if (ref) {
    const holder = await templates.holder(ref.name ?? '', ref.clusterScope ?? false);
    if (!holder)
      throw notFound(`${ref.clusterScope ? 'cluster' : ''}workflowtemplates.argoproj.io "${ref.name}" not found`);
    whole = merged(holder.spec ?? {}, spec);
  }
  const known = new Map<string, readonly Template[] | undefined>();
  for (const { name, isCluster } of referencesOf(whole)) {
    if (name.includes('{{')) continue;
    const holder = await templates.holder(name, isCluster);
    if (!holder)
      throw invalidArgument(
        `template reference ${name} not found: ${isCluster ? 'Cluster' : ''}WorkflowTemplate "${name}" not found`,
      );
    known.set(`${isCluster} ${name}`, holder.spec?.templates ?? []);
  }
  const { entrypoint, ...rest } = whole;
  const usual = (parts.settings.workflowDefaults.spec ?? {}) as flow.WorkflowSpec;
  const first = entrypoint ?? usual.entrypoint;
  const [finding] = lintSpec(
    { ...rest, ...(first ? { entrypoint: first } : {}) },
    { templates: (name, isCluster) => known.get(`${isCluster} ${name}`) },
    { isTemplate: options.isTemplate ?? false, submits: options.submits ?? false },
  );
  if (finding) throw invalidArgument(finding.told ?? `${finding.path.join('.')}: ${finding.message}`);
}

/** What a workflow adds to the template that it is made of. */
function merged(template: flow.WorkflowSpec, own: flow.WorkflowSpec): flow.WorkflowSpec {
  const { workflowTemplateRef, arguments: given, ...rest } = own;
  const parameters = new Map(
    [...(template.arguments?.parameters ?? []), ...(given?.parameters ?? [])].map((each) => [each.name, each]),
  );
  return { ...template, ...rest, arguments: { ...template.arguments, ...given, parameters: [...parameters.values()] } };
}

/** Templates as the caller sees them; each is read once. */
class Templates {
  readonly #call: FlowCall;
  readonly #namespace: string;
  readonly #parts: ServerParts;
  readonly #found = new Map<string, Promise<Holder | undefined>>();

  constructor(parts: ServerParts, call: FlowCall, namespace: string) {
    this.#parts = parts;
    this.#call = call;
    this.#namespace = namespace;
  }

  holder(name: string, isCluster: boolean): Promise<Holder | undefined> {
    const key = `${isCluster} ${name}`;
    const known = this.#found.get(key) ?? this.#read(name, isCluster);
    this.#found.set(key, known);
    return known;
  }

  /** Anyone who submits need not be able to read templates: they are then read by the server, as the controller will. */
  async #read(name: string, isCluster: boolean): Promise<Holder | undefined> {
    const ref = {
      apiVersion: workflowNames.apiVersion,
      kind: isCluster ? 'ClusterWorkflowTemplate' : 'WorkflowTemplate',
      name,
      ...(isCluster ? {} : { namespace: this.#namespace }),
    };
    for (const client of [this.#call.client, this.#parts.own]) {
      try {
        return await client.get<Holder>(ref, { signal: this.#call.signal });
      } catch (error) {
        if (isNotFound(error)) return undefined;
        if (!isForbidden(error) || client === this.#parts.own) throw error;
      }
    }
    return undefined;
  }
}
