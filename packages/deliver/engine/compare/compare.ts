import { type Diagnosis, defineDiagnosis, diagnose, diagnosisOf } from '@tiphys/diagnosis';
import { describeKey, type KubeObject, keyOf, keyString, type ObjectKey, parseApiVersion } from '@tiphys/kubernetes';
import {
  compareObject,
  comparePredicted,
  type ObjectCompareOptions,
  type ObjectComparison,
} from '../difference/compare-object.ts';
import type { CompareRequest, Comparison, ComparisonConditionType } from '../difference/comparison.ts';
import { type PreparedObject, placeOf, prepareState } from '../difference/desired-state.ts';
import { compileIgnoreRules } from '../difference/ignore-rules.ts';
import { both, knownTypesFor } from '../difference/known-types.ts';
import { type LiveGenerated, withLiveGenerated } from '../difference/live-generated.ts';
import { predictByServer } from '../difference/server-side-diff.ts';
import { withKnownCause } from '../explain/explain-health.ts';
import { aggregateHealth } from '../health/aggregate.ts';
import { annotation, annotationList, annotationNames, hasCompareOption, hasSyncOption } from '../model/annotations.ts';
import { isHook, waveOf } from '../model/hooks.ts';
import type { ComparedResource, Health, SyncCode } from '../model/model.ts';
import { trackingClaim } from '../model/tracking.ts';
import { confirmDifference, isDoubtful } from './confirm-difference.ts';

const sharedResource = defineDiagnosis('SharedResource', 'An object belongs to two applications', 'C20');
const notPermitted = defineDiagnosis('ObjectNotPermitted', 'The project does not permit an object', 'C19');

const noDifferences: ComparedResource['differences'] = [];
const noTypes: NonNullable<CompareRequest['knownTypes']> = [];
const noRules: NonNullable<CompareRequest['ignoreDifferences']> = [];

/** Desired against live of one application. Reads the cache; asks the server only for what the cache does not hold whole. */
export async function compare(request: CompareRequest): Promise<Comparison> {
  return new Comparer(request).run();
}

class Comparer {
  readonly #request: CompareRequest;
  readonly #findings: { type: ComparisonConditionType; diagnosis: Diagnosis }[] = [];
  #failed = false;

  constructor(request: CompareRequest) {
    this.#request = request;
  }

  async run(): Promise<Comparison> {
    const { desired, cache, tracking, destinationNamespace, options = {} } = this.#request;
    const prepared = prepareState(desired, cache, tracking, destinationNamespace);
    this.#findings.push(...prepared.findings);
    const rules = compileIgnoreRules(this.#request.ignoreDifferences ?? noRules);
    for (const diagnosis of rules.problems) this.#find('ComparisonError', diagnosis);
    const hooks = prepared.objects.filter(({ hook }) => hook);
    const plain = prepared.objects.filter(({ hook, skipped }) => !hook && !skipped);
    const live = this.#liveObjects(prepared.objects);
    const resources: ComparedResource[] = [];
    const pending: Promise<ComparedResource>[] = [];
    for (const item of plain) {
      const known = live.get(item.id);
      live.delete(item.id);
      // most objects are compared without waiting for anything
      const compared = this.#compare(item, known, rules);
      if (compared instanceof Promise) pending.push(compared);
      else resources.push(compared);
    }
    resources.push(...(await Promise.all(pending)));
    const skipped = new Set(prepared.objects.filter((item) => item.skipped).map(({ id }) => id));
    for (const [id, object] of live) if (!skipped.has(id)) resources.push(this.#extra(object, hooks));
    resources.sort((a, b) => order(a.key, b.key));
    return {
      resources,
      hooks: hooks.map((item) => hookResource(item)),
      sync: this.#syncCode(resources),
      health: aggregateHealth(resources, options.self),
      conditions: this.#findings.map(({ diagnosis }) => diagnosis),
      findings: this.#findings,
      deleteHooks: {
        preDelete: hooks.some(({ hookTypes }) => hookTypes.includes('PreDelete')),
        postDelete: hooks.some(({ hookTypes }) => hookTypes.includes('PostDelete')),
      },
      tracking,
      destinationNamespace,
      ignoreDifferences: this.#request.ignoreDifferences ?? noRules,
    };
  }

  #find(type: ComparisonConditionType, diagnosis: Diagnosis): void {
    this.#findings.push({ type, diagnosis });
    if (type === 'ComparisonError') this.#failed = true;
  }

  /** Live objects of the instance that may be pruned, by key; those that the project does not permit are left out. */
  #liveObjects(desired: readonly PreparedObject[]): Map<string, KubeObject> {
    const { cache, tracking, permit, options, destinationNamespace } = this.#request;
    const live = new Map<string, KubeObject>();
    const managedNamespace = options?.managedNamespaceMetadata ? destinationNamespace : undefined;
    for (const object of cache.managed(tracking.instance)) {
      const key = keyOf(object);
      if (permit && denied(permit(key, Boolean(key.namespace)))) continue;
      if (
        managedNamespace &&
        key.kind === 'Namespace' &&
        key.group === '' &&
        key.name === managedNamespace &&
        !desired.some(({ id }) => id === keyString(key))
      )
        continue;
      live.set(keyString(key), object);
    }
    return live;
  }

  #compare(
    item: PreparedObject,
    known: KubeObject | undefined,
    rules: ReturnType<typeof compileIgnoreRules>,
  ): ComparedResource | Promise<ComparedResource> {
    const refusal = this.#refusal(item);
    if (known && parseApiVersion(known.apiVersion).version === item.version && !this.#byServer(item))
      return this.#compared(item, known, rules, refusal);
    const { group } = item.key;
    const served = this.#request.cache.findKind(group, item.key.kind);
    if (!served) return this.#compared(item, undefined, rules, refusal);
    return this.#load(item).then(async (live) => {
      if (!live || !this.#byServer(item)) return this.#compared(item, live, rules, refusal);
      return this.#comparedByServer(item, live, rules, refusal);
    });
  }

  async #load(item: PreparedObject): Promise<KubeObject | undefined> {
    const { cache, signal } = this.#request;
    const { key, object } = item;
    if (!key.name) return undefined;
    // a version that is not served is found by another, so that the object is not taken for missing
    const apiVersion = cache.find(object.apiVersion, key.kind) ? object.apiVersion : versionServed(cache, key);
    try {
      return await cache.load(
        { apiVersion, kind: key.kind, ...(key.namespace ? { namespace: key.namespace } : {}), name: key.name },
        signal,
      );
    } catch (error) {
      this.#find('ComparisonError', diagnosisOf(error));
      return undefined;
    }
  }

  #byServer(item: PreparedObject): boolean {
    const { options = {} } = this.#request;
    const asked = [...annotationList(item.object, annotationNames.compareOptions), ...(options.compareOptions ?? [])];
    if (asked.includes('ServerSideDiff=false')) return false;
    return asked.includes('ServerSideDiff=true') || options.serverSideDiff === true;
  }

  async #comparedByServer(
    item: PreparedObject,
    live: KubeObject,
    rules: ReturnType<typeof compileIgnoreRules>,
    refusal: Diagnosis | undefined,
  ): Promise<ComparedResource> {
    const { cache, signal, options = {} } = this.#request;
    const compareOptions = [
      ...(options.compareOptions ?? []),
      ...annotationList(item.object, annotationNames.compareOptions),
    ];
    const objectOptions = this.#objectOptions(item, rules);
    const cached = serverResults.get(item.object);
    const stamp = `${live.metadata.uid} ${live.metadata.resourceVersion} ${compareOptions.join()} ${this.#changed(item)}`;
    if (cached?.stamp === stamp && cached.rules === rules)
      return this.#resource(item, live, cached.result, refusal, cached.kept);
    try {
      const kept = this.#liveGenerated(item, live, objectOptions);
      const predicted = await predictByServer(kept.object, live, cache.client, {
        webhooks: compareOptions.includes('IncludeMutationWebhook=true'),
        signal,
      });
      const result = known(comparePredicted(predicted, live, objectOptions), objectOptions);
      serverResults.set(item.object, { stamp, rules, result, kept });
      return this.#resource(item, live, result, refusal, kept);
    } catch (error) {
      this.#find('ComparisonError', diagnosisOf(error));
      return this.#resource(item, live, undefined, refusal);
    }
  }

  #compared(
    item: PreparedObject,
    live: KubeObject | undefined,
    rules: ReturnType<typeof compileIgnoreRules>,
    refusal: Diagnosis | undefined,
  ): ComparedResource | Promise<ComparedResource> {
    if (!live) return this.#resource(item, undefined, undefined, refusal);
    const stamp = `${live.metadata.uid} ${live.metadata.resourceVersion} ${live.apiVersion} ${this.#optionStamp()} ${this.#changed(item)}`;
    const cached = results.get(item.object);
    if (cached?.stamp === stamp && cached.rules === rules)
      return this.#resource(item, live, cached.result, refusal, cached.kept);
    const options = this.#objectOptions(item, rules);
    const kept = this.#liveGenerated(item, live, options);
    const found = compareObject(kept.object, live, options);
    if (found.differences.length > 0 && this.#isConfirmable(item) && isDoubtful(kept.object, live, options))
      return this.#confirmed(item, live, { stamp, rules, result: found, kept }, options, refusal);
    const result = known(found, options);
    results.set(item.object, { stamp, rules, result, kept });
    return this.#resource(item, live, result, refusal, kept);
  }

  /** What would be written in another way than an apply, or is not to be compared by the server, is not tried there. */
  #isConfirmable(item: PreparedObject): boolean {
    const { options = {} } = this.#request;
    const asked = [...annotationList(item.object, annotationNames.compareOptions), ...(options.compareOptions ?? [])];
    const replaced = options.syncOptions?.includes('Replace=true') || hasSyncOption(item.object, 'Replace=true');
    return !replaced && !asked.includes('ServerSideDiff=false');
  }

  async #confirmed(
    item: PreparedObject,
    live: KubeObject,
    found: Remembered & { readonly result: ObjectComparison },
    options: ObjectCompareOptions,
    refusal: Diagnosis | undefined,
  ): Promise<ComparedResource> {
    const { cache, signal } = this.#request;
    const { kept } = found;
    const result = await confirmDifference(kept.object, live, found.result, { client: cache.client, options, signal });
    if (result) results.set(item.object, { ...found, result: known(result, options) });
    return this.#resource(item, live, known(result ?? found.result, options), refusal, kept);
  }

  /** Which of the object's generated fields are compared like all others. */
  #changed({ generated }: PreparedObject): string {
    const { changedFields } = this.#request;
    if (generated.length === 0 || !changedFields?.size) return '';
    return generated.map((field) => (changedFields.has(field) ? '1' : '0')).join('');
  }

  /** The desired object with the generated values that live holds, except those that were changed on purpose or are ignored. */
  #liveGenerated(
    { generated, object }: PreparedObject,
    live: KubeObject,
    { ignore }: ObjectCompareOptions,
  ): LiveGenerated {
    const { changedFields } = this.#request;
    const quiet = generated.filter((field) => !changedFields?.has(field));
    if (quiet.length === 0) return { object, noise: noDifferences };
    if (!ignore) return withLiveGenerated(object, live, quiet);
    const rest = structuredClone(object);
    ignore(rest, live);
    return withLiveGenerated(
      object,
      live,
      quiet.filter(({ path }) => isAt(rest, path)),
    );
  }

  #optionStamp(): string {
    const { options = {} } = this.#request;
    return `${this.#request.knownTypes?.map((known) => Object.values(known).join()).join(';') ?? ''} ${options.ignoreStatus ?? ''} ${options.ignoreAggregatedRoles ?? ''} ${options.syncOptions?.includes('ServerSideApply=true') ?? ''}`;
  }

  #objectOptions(item: PreparedObject, rules: ReturnType<typeof compileIgnoreRules>): ObjectCompareOptions {
    const { options = {} } = this.#request;
    const ignoreStatus = options.ignoreStatus ?? 'all';
    const byOption =
      options.syncOptions?.includes('ServerSideApply=true') === true &&
      !hasSyncOption(item.object, 'ServerSideApply=false');
    return {
      ignore: both(rules.for(item.key), knownTypesFor(item.key, this.#request.knownTypes ?? noTypes)),
      ignoreStatus: ignoreStatus === 'all' || (ignoreStatus === 'crd' && item.key.kind === 'CustomResourceDefinition'),
      ignoreAggregatedRoles: options.ignoreAggregatedRoles ?? false,
      serverSide: byOption || hasSyncOption(item.object, 'ServerSideApply=true'),
    };
  }

  #resource(
    item: PreparedObject,
    live: KubeObject | undefined,
    result: KnownResult | undefined,
    refusal: Diagnosis | undefined,
    kept?: LiveGenerated,
  ): ComparedResource {
    if (live) this.#checkOwner(item, live);
    const differences = result?.differences ?? noDifferences;
    const equal = live !== undefined && result !== undefined && differences.length === 0;
    const assessed = live ? this.#health(item.key, live) : ({ status: 'Missing' } as const);
    const resource: ComparedResource = {
      key: item.key,
      version: item.version,
      desired: item.object,
      origin: item.origin,
      status: refusal ? 'Unknown' : equal ? 'Synced' : 'OutOfSync',
      ...(assessed ? { health: assessed } : {}),
      hook: false,
      requiresPruning: false,
      wave: item.wave,
      differences,
      ...(kept && kept.noise.length > 0 ? { noise: kept.noise, keeping: kept.object } : {}),
    };
    if (!live) return resource;
    const get = this.#request.cache.later(live);
    return result ? withSides(resource, get, result) : withLive(resource, get);
  }

  #health(key: ObjectKey, live: KubeObject): Health | undefined {
    const { cache } = this.#request;
    const own = cache.healthOf(live);
    return own && withKnownCause(own, key, cache);
  }

  #refusal(item: PreparedObject): Diagnosis | undefined {
    const unseen = this.#request.unseen?.(item.key, item.namespaced ?? true);
    if (unseen) {
      const placed = { ...unseen, place: { ...placeOf(item), ...unseen.place } };
      this.#find('ComparisonError', placed);
      return placed;
    }
    const verdict = this.#request.permit?.(item.key, item.namespaced ?? true);
    if (verdict === undefined || verdict === true) return undefined;
    const diagnosis =
      verdict === false
        ? diagnose(notPermitted, {
            message: `resource ${item.key.group}:${item.key.kind} is not permitted in the project`,
          })
        : verdict;
    const placed = { ...diagnosis, place: { ...placeOf(item), ...diagnosis.place } };
    this.#findings.push({ type: 'InvalidSpecError', diagnosis: placed });
    return placed;
  }

  /** Somebody else's live object is a warning, not an error: the last who syncs wins, as upstream. */
  #checkOwner(item: PreparedObject, live: KubeObject): void {
    const { tracking } = this.#request;
    const claim = trackingClaim(live, tracking);
    if (!claim || claim.instance === tracking.instance) return;
    const { kind, name } = item.key;
    const mine = tracking.instance.replaceAll('_', '/');
    const theirs = claim.instance.replaceAll('_', '/');
    const writer = live.metadata.managedFields
      ?.toSorted((a, b) => ((a.time ?? '') < (b.time ?? '') ? 1 : -1))
      .find(({ subresource }) => subresource !== 'status');
    this.#find(
      'SharedResourceWarning',
      diagnose(sharedResource, {
        message: `${kind}/${name} is part of applications ${mine} and ${theirs}`,
        place: placeOf(item),
        evidence: {
          'live tracking id': annotation(live, annotationNames.trackingId),
          'last written': writer?.time,
          'last writer': writer?.manager,
        },
        remedies: [`Keep ${describeKey(item.key)} in one of the two applications`],
      }),
    );
  }

  /** A live object that no manifest asks for. */
  #extra(live: KubeObject, hooks: readonly PreparedObject[]): ComparedResource {
    const key = keyOf(live);
    const hook = isHook(live);
    const source = hook
      ? hooks.find(
          ({ key: other }) => other.kind === key.kind && other.name === key.name && other.namespace === key.namespace,
        )
      : undefined;
    const assessed = this.#health(key, live);
    const resource: ComparedResource = {
      key,
      version: parseApiVersion(live.apiVersion).version,
      ...(source ? { origin: source.origin } : {}),
      status: hook ? 'Synced' : 'OutOfSync',
      ...(assessed ? { health: assessed } : {}),
      hook,
      requiresPruning: !hook,
      wave: source?.wave ?? waveOf(live),
      differences: noDifferences,
    };
    return withLive(resource, this.#request.cache.later(live));
  }

  #syncCode(resources: readonly ComparedResource[]): SyncCode {
    if (this.#failed) return 'Unknown';
    const drifted = resources.some((resource) => {
      if (resource.hook || resource.status !== 'OutOfSync') return false;
      return !(resource.requiresPruning && hasCompareOption(resource.live, 'IgnoreExtraneous'));
    });
    return drifted ? 'OutOfSync' : 'Synced';
  }
}

/** What is remembered of a comparison: of equal sides only how to make them again, since they are the live object once more. */
interface KnownResult {
  readonly differences: ObjectComparison['differences'];
  readonly normalized: ObjectComparison['normalized'] | ObjectCompareOptions;
}

interface Remembered {
  stamp: string;
  rules: ReturnType<typeof compileIgnoreRules>;
  result: KnownResult;
  kept: LiveGenerated;
}

function known({ differences, normalized }: ObjectComparison, options: ObjectCompareOptions): KnownResult {
  return { differences, normalized: differences.length === 0 ? options : normalized };
}

function withLive(resource: ComparedResource, live: () => KubeObject): ComparedResource {
  return {
    ...resource,
    get live() {
      return live();
    },
  };
}

function withSides(resource: ComparedResource, live: () => KubeObject, { normalized }: KnownResult): ComparedResource {
  return {
    ...resource,
    get live() {
      return live();
    },
    get normalized() {
      if ('live' in normalized) return normalized;
      const object = live();
      return comparePredicted(object, object, normalized).normalized;
    },
  };
}

/** Results by the prepared desired object: neither side having changed, nothing is compared again. */
const results = new WeakMap<KubeObject, Remembered>();
const serverResults = new WeakMap<KubeObject, Remembered>();

function isAt(object: unknown, path: readonly (string | number)[]): boolean {
  let value = object;
  for (const step of path) value = (value as Record<string | number, unknown> | undefined)?.[step];
  return value !== undefined;
}

function denied(verdict: boolean | Diagnosis | undefined): boolean {
  return verdict !== undefined && verdict !== true;
}

function versionServed(cache: CompareRequest['cache'], { group, kind }: ObjectKey): string {
  const version = cache.findKind(group, kind)?.version ?? 'v1';
  return group ? `${group}/${version}` : version;
}

function hookResource(item: PreparedObject): ComparedResource {
  return {
    key: item.key,
    version: item.version,
    desired: item.object,
    origin: item.origin,
    status: 'Synced',
    hook: true,
    requiresPruning: false,
    wave: item.wave,
    differences: noDifferences,
  };
}

function order(a: ObjectKey, b: ObjectKey): number {
  return (
    compareText(a.namespace, b.namespace) ||
    compareText(a.name, b.name) ||
    compareText(a.group, b.group) ||
    compareText(a.kind, b.kind)
  );
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
