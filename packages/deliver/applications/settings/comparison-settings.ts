import { type Diagnosis, DiagnosisError, defineDiagnosis, diagnose, failure, nearestName } from '@tiphys/diagnosis';
import {
  type ActionSetting,
  compileIgnoreRules,
  type HealthScript,
  type IgnoreRule,
  isKnownType,
  type KnownTypeField,
} from '@tiphys/engine';
import { parseDocuments } from '@tiphys/yaml';

const customizationInvalid = defineDiagnosis(
  'CustomizationInvalid',
  'A customization of argocd-cm cannot be read, so nothing can be compared by it',
);
const customizationUnsupported = defineDiagnosis(
  'CustomizationUnsupported',
  'A customization of argocd-cm is for a kind of the application, and Tiphys cannot act on it yet',
);

/** What `argocd-cm` says of comparing objects, for all applications. */
export interface ComparisonSettings {
  /** `ignoreDifferences` of all customizations. */
  readonly ignoreDifferences: readonly IgnoreRule[];
  /** `knownTypeFields` of all customizations. */
  readonly knownTypes: readonly KnownTypeField[];
  /** Default `all`. */
  readonly ignoreStatus: 'all' | 'crd' | 'none';
  /** Default false. */
  readonly ignoreAggregatedRoles: boolean;
  /** What an update of an object may touch without anybody looking at it; undefined if all updates count. */
  readonly ignoredUpdates: readonly IgnoreRule[] | undefined;
  /** Health checks in Lua. */
  readonly health: readonly HealthScript[];
  /** Actions in Lua. */
  readonly actions: readonly ActionSetting[];
  /** The same as clients are told, by `group/kind`. */
  readonly overrides: Readonly<Record<string, ResourceOverride>>;
  /** A diagnosis for each customization that would have to be honoured for the kinds, and is not. */
  refusals(kinds: Iterable<{ readonly group: string; readonly kind: string }>): Diagnosis[];
}

/** `ResourceOverride` of Argo CD's API. */
export interface ResourceOverride {
  healthLua?: string;
  useOpenLibs?: boolean;
  actions?: string;
  ignoreDifferences?: IgnoredFields;
  ignoreResourceUpdates?: IgnoredFields;
  knownTypeFields?: { field: string; type: string }[];
}

interface IgnoredFields {
  jsonPointers?: string[];
  jqPathExpressions?: string[];
  managedFieldsManagers?: string[];
}

interface Unsupported {
  readonly key: string;
  readonly what: string;
  readonly matches: (group: string, kind: string) => boolean;
}

/**
 * Reads `resource.customizations`, `resource.customizations.<type>.<group_kind>` and `resource.compareoptions`.
 * Throws a diagnosis that names the key if one cannot be read: as upstream nothing is compared then.
 */
export function comparisonSettings(data: Readonly<Record<string, string>>): ComparisonSettings {
  const ignoreDifferences: IgnoreRule[] = [];
  const ignoreUpdates: IgnoreRule[] = [];
  const knownTypes: KnownTypeField[] = [];
  const unsupported: Unsupported[] = [];
  const scripts = new Scripts();
  const overrides = new Overrides();
  const add = (key: string, groupKind: string, type: string, value: unknown) => {
    const { group, kind } = splitGroupKind(groupKind);
    scripts.add(key, groupKind, type, value);
    overrides.add(key, groupKind, type, value);
    if (type === 'ignoreDifferences') ignoreDifferences.push(ignoreRule(key, { group, kind }, value));
    if (type === 'ignoreResourceUpdates') ignoreUpdates.push(ignoreRule(key, { group, kind }, value));
    if (type !== 'knownTypeFields') return;
    for (const known of knownFields(key, value, group, kind)) {
      if (isKnownType(known.type)) knownTypes.push(known);
      else
        unsupported.push({
          key,
          what: `type '${known.type}' is not supported: the field ${known.field}`,
          matches: (g, k) => g === group && k === kind,
        });
    }
  };
  const whole = asRecord('resource.customizations', data['resource.customizations'] ?? '');
  for (const [groupKind, entry] of Object.entries(whole)) {
    for (const [type, value] of Object.entries(asRecord('resource.customizations', entry)))
      add('resource.customizations', groupKind, type, value);
  }
  for (const [key, value] of Object.entries(data)) {
    const [, type, groupKind] = /^resource\.customizations\.([^.]+)\.(.+)$/.exec(key) ?? [];
    if (type === undefined || groupKind === undefined) continue;
    if (!splitTypes.includes(type)) throw invalid(key, `resource customization type ${type} not supported`);
    if (groupKind.startsWith('_'))
      throw invalid(key, `found ${groupKind}: a kind of the core group stands by itself, ${groupKind.slice(1)}`);
    if (groupKind.split('_').length > 2) throw invalid(key, `found ${groupKind}, wanted <group>_<kind> or <kind>`);
    add(key, groupKind === 'all' ? '*/*' : groupKind.replace('_', '/'), type, value);
  }
  const { ofUpdates, ...options } = compareOptions(data);
  const enabled = data['resource.ignoreResourceUpdatesEnabled'] !== 'false';
  return {
    ignoreDifferences,
    knownTypes,
    ignoredUpdates: enabled ? [...ignoreUpdates, ...(ofUpdates ? ignoreDifferences : [])] : undefined,
    ...options,
    health: scripts.health(),
    actions: [...scripts.actions.values()],
    overrides: overrides.all(options.ignoreStatus),
    refusals: (kinds) => refusals(unsupported, kinds),
  };
}

const ignoredFields: readonly string[] = [
  'jsonPointers',
  'jqPathExpressions',
  'managedFieldsManagers',
] satisfies (keyof IgnoredFields)[];

/** A rule that can be used: what is wrong with one is told of the key, and not of each application that it is for. */
function ignoreRule(key: string, of: { group: string; kind: string }, value: unknown): IgnoreRule {
  const fields = asRecord(key, value);
  for (const [name, list] of Object.entries(fields)) {
    const near = nearestName(name, ignoredFields);
    if (!ignoredFields.includes(name)) throw invalid(key, `found ${name}, wanted ${near ?? ignoredFields.join(', ')}`);
    if (list !== null && !(Array.isArray(list) && list.every((item) => typeof item === 'string')))
      throw invalid(key, `${name} is no list of texts`);
  }
  const rule: IgnoreRule = { ...of, ...(fields as IgnoredFields), setting: key };
  const [problem] = compileIgnoreRules([rule]).problems;
  if (problem)
    throw new DiagnosisError({ ...problem, code: customizationInvalid.code, cause: customizationInvalid.cause });
  return rule;
}

/** The Lua of both forms; keys of their own go before entries of `resource.customizations`. */
class Scripts {
  readonly actions = new Map<string, ActionSetting>();
  readonly #health = new Map<string, { source: string; key: string }>();
  readonly #open = new Map<string, boolean>();

  add(key: string, pattern: string, type: string, value: unknown): void {
    if (type === 'health' || type === 'health.lua') this.#health.set(pattern, { source: text(key, value), key });
    if (type === 'useOpenLibs' || type === 'health.lua.useOpenLibs') this.#open.set(pattern, truth(key, value));
    if (type === 'actions') this.actions.set(pattern, { pattern, text: text(key, value), key });
  }

  health(): HealthScript[] {
    return [...this.#health].map(([pattern, { source, key }]) => {
      return { pattern, source, key, openLibraries: this.#open.get(pattern) ?? false };
    });
  }
}

/** What clients need to compare as we do. */
class Overrides {
  readonly #all = new Map<string, ResourceOverride>();

  add(key: string, groupKind: string, type: string, value: unknown): void {
    const override = this.#of(groupKind);
    const { group, kind } = splitGroupKind(groupKind);
    if (type === 'health' || type === 'health.lua') override.healthLua = text(key, value);
    if (type === 'useOpenLibs' || type === 'health.lua.useOpenLibs') override.useOpenLibs = truth(key, value);
    if (type === 'actions') override.actions = text(key, value);
    if (type === 'ignoreDifferences') override.ignoreDifferences = asRecord(key, value);
    if (type === 'ignoreResourceUpdates') override.ignoreResourceUpdates = asRecord(key, value);
    if (type === 'knownTypeFields')
      override.knownTypeFields = knownFields(key, value, group, kind).map(({ field, type }) => ({ field, type }));
  }

  all(ignoreStatus: ComparisonSettings['ignoreStatus']): Record<string, ResourceOverride> {
    if (ignoreStatus !== 'none') {
      const everywhere = ignoreStatus === 'all' ? '*/*' : 'apiextensions.k8s.io/CustomResourceDefinition';
      const override = this.#of(everywhere);
      const pointers = override.ignoreDifferences?.jsonPointers ?? [];
      override.ignoreDifferences = { ...override.ignoreDifferences, jsonPointers: [...pointers, '/status'] };
    }
    return Object.fromEntries(this.#all);
  }

  #of(groupKind: string): ResourceOverride {
    const override = this.#all.get(groupKind) ?? {};
    this.#all.set(groupKind, override);
    return override;
  }
}

function text(key: string, value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === null || value === undefined) return '';
  throw invalid(key, 'found no text where a script was expected');
}

function truth(key: string, value: unknown): boolean {
  const word = String(value).trim();
  if (/^(1|t|true|True|TRUE|T)$/.test(word)) return true;
  if (/^(0|f|false|False|FALSE|F)$/.test(word)) return false;
  throw invalid(key, `found "${word}", wanted true or false`);
}

/** Types of `resource.customizations.<type>.<group_kind>`. */
const splitTypes = [
  'health',
  'useOpenLibs',
  'actions',
  'ignoreDifferences',
  'ignoreResourceUpdates',
  'knownTypeFields',
];

/** A list of `{ field, type }`. */
function knownFields(key: string, value: unknown, group: string, kind: string): KnownTypeField[] {
  const list = typeof value === 'string' ? documentOf(key, value) : value;
  if (list === undefined || list === null) return [];
  if (!Array.isArray(list)) throw invalid(key, 'found no list of known fields');
  return list.map((item: unknown) => {
    const { field, type } = asRecord(key, item);
    if (typeof field !== 'string' || typeof type !== 'string') throw invalid(key, 'an entry has no field or no type');
    return { group, kind, field, type };
  });
}

function compareOptions(
  data: Readonly<Record<string, string>>,
): Pick<ComparisonSettings, 'ignoreStatus' | 'ignoreAggregatedRoles'> & { ofUpdates: boolean } {
  const options = asRecord('resource.compareoptions', data['resource.compareoptions'] ?? '');
  const status = String(options.ignoreResourceStatusField ?? 'all');
  return {
    // YAML reads `off` as a boolean; upstream takes both for none, and what it does not know for all.
    ignoreStatus: ['none', 'off', 'false'].includes(status) ? 'none' : status === 'crd' ? 'crd' : 'all',
    ignoreAggregatedRoles: options.ignoreAggregatedRoles === true,
    // differences that are ignored are ignored in updates too, unless it says otherwise
    ofUpdates: options.ignoreDifferencesOnResourceUpdates !== false,
  };
}

function refusals(
  unsupported: readonly Unsupported[],
  kinds: Iterable<{ readonly group: string; readonly kind: string }>,
): Diagnosis[] {
  if (unsupported.length === 0) return [];
  const distinct = new Map([...kinds].map(({ group, kind }) => [`${group}/${kind}`, { group, kind }]));
  return unsupported.flatMap(({ key, what, matches }) => {
    const touched = [...distinct].filter(([, { group, kind }]) => matches(group, kind)).map(([name]) => name);
    if (touched.length === 0) return [];
    return diagnose(customizationUnsupported, {
      message: `${what} of ${touched.sort().join(', ')} is compared as it is written`,
      place: { object: 'ConfigMap argocd-cm', field: `data["${key}"]` },
      remedies: ['Remove the customization to accept the built-in view (docs/limits.md)'],
    });
  });
}

function splitGroupKind(text: string): { group: string; kind: string } {
  const slash = text.indexOf('/');
  return slash < 0 ? { group: '', kind: text } : { group: text.slice(0, slash), kind: text.slice(slash + 1) };
}

function documentOf(key: string, text: string): unknown {
  try {
    return parseDocuments(text, { file: `argocd-cm ${key}` }).documents[0]?.value;
  } catch (error) {
    throw invalid(key, error instanceof Error ? error.message : String(error), error);
  }
}

/** A mapping, or the YAML text of one; empty for nothing. */
function asRecord(key: string, value: unknown): Record<string, unknown> {
  const parsed = typeof value === 'string' ? documentOf(key, value) : value;
  if (parsed === undefined || parsed === null) return {};
  if (typeof parsed === 'object' && !Array.isArray(parsed)) return parsed as Record<string, unknown>;
  throw invalid(key, 'found no mapping');
}

function invalid(key: string, reason: string, cause?: unknown): Error {
  return failure(
    customizationInvalid,
    {
      message: `${key} cannot be used: ${reason}`,
      place: { object: 'ConfigMap argocd-cm', field: `data["${key}"]` },
      remedies: ['Correct the value, or remove the key'],
    },
    cause === undefined ? {} : { cause },
  );
}
