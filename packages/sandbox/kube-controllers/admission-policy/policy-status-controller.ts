import { type CheckedKind, expressionWarnings, kindType, type Policy } from '@tiphys/admission-rules';
import { publishedSchema } from '@tiphys/apiextensions';
import type { Definition } from '@tiphys/apimachinery';
import type { Type } from '@tiphys/cel';
import {
  type ApiResource,
  builtinModels,
  builtinSchema,
  type Client,
  type KubeObject,
  type OpenApiSchema,
  parseApiVersion,
} from '@tiphys/kubernetes';
import { Controller, type ControllerContext } from '../machinery/controller.ts';

const NAME = 'validatingadmissionpolicy-status';
const MOST_KINDS = 10;

interface CheckedPolicy extends Policy {
  status?: { observedGeneration?: number };
}

type Rule = NonNullable<NonNullable<Policy['spec']['matchConstraints']>['resourceRules']>[number];

/** Checks the expressions of each ValidatingAdmissionPolicy by the types of what it is about: `status.typeChecking`. */
export function startPolicyStatusController(context: ControllerContext): void {
  const controller = new Controller(context, NAME);
  const policies = context.stores.of<CheckedPolicy>('admissionregistration.k8s.io/v1', 'ValidatingAdmissionPolicy');
  controller.watch(policies);
  controller.run(async (key) => {
    const policy = policies.get('', key.slice(1));
    const { generation = 0, name = '' } = policy?.metadata ?? {};
    if (!policy || generation <= (policy.status?.observedGeneration ?? 0)) return undefined;
    const { apiVersion, kind } = policy;
    const warnings = await checked(controller.client, policy);
    const status = {
      observedGeneration: generation,
      typeChecking: warnings.length ? { expressionWarnings: warnings } : {},
    };
    const body = { apiVersion, kind, metadata: { name }, status } as KubeObject;
    await controller.client.apply(body, { subresource: 'status', fieldManager: NAME, force: true });
    return undefined;
  });
}

async function checked(client: Client, policy: Policy) {
  const resources = await resourcesFor(client, policy);
  const typed = async ({ group, version, kind }: Kind): Promise<Type | undefined> => {
    const schema =
      builtinSchema({ group, version, kind }) ?? (await customSchema(client, resources, { group, version, kind }));
    return schema && kindType(schema, `${kind}${policy.metadata.generation}`, (part) => builtinModels().resolve(part));
  };
  const kinds: CheckedKind[] = [];
  for (const kind of kindsOf(policy, resources)) {
    const type = await typed(kind);
    if (type) kinds.push({ ...kind, type });
  }
  const { paramKind } = policy.spec;
  const { group, version } = parseApiVersion(paramKind?.apiVersion ?? '');
  const params = paramKind && (await typed({ group, version, kind: paramKind.kind ?? '' }));
  return expressionWarnings(policy, kinds, params);
}

/** Discovery is asked again where it does not know of something that the policy names. */
async function resourcesFor({ discovery }: Client, { spec }: Policy): Promise<readonly ApiResource[]> {
  const known = await discovery.resources();
  const isKnown = (name: string) => known.some(({ plural }) => plural === name);
  const names = (spec.matchConstraints?.resourceRules ?? []).flatMap(({ resources = [] }) => resources);
  if (names.every((name) => /[*/]/.test(name) || isKnown(name))) return known;
  discovery.invalidate();
  return discovery.resources();
}

interface Kind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** The kinds of the rules that name all that they mean, in order; wildcards are not followed, nor subresources. */
function kindsOf({ spec }: Policy, resources: readonly ApiResource[]): Kind[] {
  const found = new Map<string, Kind>();
  for (const rule of spec.matchConstraints?.resourceRules ?? []) {
    for (const { group, version, kind } of resourcesOf(rule, resources).slice(0, MOST_KINDS))
      found.set(`${group} ${version} ${kind}`, { group, version, kind });
  }
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, kind]) => kind);
}

function resourcesOf({ apiGroups = [], apiVersions = [], resources = [] }: Rule, served: readonly ApiResource[]) {
  if ([...apiGroups, ...apiVersions].some((text) => text.includes('*'))) return [];
  const names = resources.filter((text) => !/[*/]/.test(text)).sort();
  return apiGroups
    .toSorted()
    .flatMap((group) =>
      apiVersions
        .toSorted()
        .flatMap((version) =>
          names.flatMap((name) =>
            served.filter((one) => one.group === group && one.version === version && one.plural === name),
          ),
        ),
    );
}

async function customSchema(
  client: Client,
  resources: readonly ApiResource[],
  { group, version, kind }: Kind,
): Promise<OpenApiSchema | undefined> {
  const resource = resources.find((one) => one.group === group && one.version === version && one.kind === kind);
  if (!resource) return undefined;
  const definition = await client.find<Definition>({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    name: `${resource.plural}.${group}`,
  });
  const schema = definition?.spec.versions.find(({ name }) => name === version)?.schema?.openAPIV3Schema;
  return schema && (publishedSchema(schema) as OpenApiSchema);
}
