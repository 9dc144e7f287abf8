import { type Diagnosis, diagnosisOf } from '@tiphys/diagnosis';
import { type KubeObject, type ObjectKey, parseApiVersion } from '@tiphys/kubernetes';
import {
  compareObject,
  comparePredicted,
  type ObjectCompareOptions,
  type ObjectComparison,
} from '../difference/compare-object.ts';
import type { CompareRequest, Comparison, ComparisonConditionType } from '../difference/comparison.ts';
import { type PreparedObject, prepareState } from '../difference/desired-state.ts';
import { compileIgnoreRules } from '../difference/ignore-rules.ts';
import type { LiveGenerated } from '../difference/live-generated.ts';
import { predictByServer } from '../difference/server-side-diff.ts';
import { aggregateHealth } from '../health/aggregate.ts';
import { hasCompareOption } from '../model/annotations.ts';
import type { ComparedResource, SyncCode } from '../model/model.ts';
import { desiredResource, extraResource, hookResource } from './compared-resource.ts';
import { confirmDifference, isDoubtful } from './confirm-difference.ts';
import { type IgnoreRules, ObjectOptions } from './object-options.ts';
import { type Finding, prunableObjects, refusalOf, sharedOwner } from './refused-objects.ts';
import { type KnownResult, known, type Remembered, results, serverResults } from './remembered.ts';

const noRules: NonNullable<CompareRequest['ignoreDifferences']> = [];

/** Desired against live of one application. Reads the cache; asks the server only for what the cache does not hold whole. */
export async function compare(request: CompareRequest): Promise<Comparison> {
  return new Comparer(request).run();
}

class Comparer {
  readonly #request: CompareRequest;
  readonly #rules: IgnoreRules;
  readonly #options: ObjectOptions;
  readonly #findings: Finding[] = [];
  #failed = false;

  constructor(request: CompareRequest) {
    this.#request = request;
    this.#rules = compileIgnoreRules(request.ignoreDifferences ?? noRules);
    this.#options = new ObjectOptions(request, this.#rules);
  }

  async run(): Promise<Comparison> {
    const { desired, cache, tracking, destinationNamespace, options = {} } = this.#request;
    const prepared = prepareState(desired, cache, tracking, destinationNamespace);
    this.#findings.push(...prepared.findings);
    for (const diagnosis of this.#rules.problems) this.#find('ComparisonError', diagnosis);
    const hooks = prepared.objects.filter(({ hook }) => hook);
    const resources = await this.#resources(prepared.objects, hooks);
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

  async #resources(objects: readonly PreparedObject[], hooks: readonly PreparedObject[]): Promise<ComparedResource[]> {
    const live = prunableObjects(this.#request, objects);
    const resources: ComparedResource[] = [];
    const pending: Promise<ComparedResource>[] = [];
    for (const item of objects) {
      if (item.hook || item.skipped) continue;
      const known = live.get(item.id);
      live.delete(item.id);
      // most objects are compared without waiting for anything
      const compared = this.#compare(item, known);
      if (compared instanceof Promise) pending.push(compared);
      else resources.push(compared);
    }
    resources.push(...(await Promise.all(pending)));
    const skipped = new Set(objects.filter((item) => item.skipped).map(({ id }) => id));
    for (const [id, object] of live)
      if (!skipped.has(id)) resources.push(extraResource(object, hooks, this.#request.cache));
    return resources.sort((a, b) => order(a.key, b.key));
  }

  #find(type: ComparisonConditionType, diagnosis: Diagnosis): void {
    this.#findings.push({ type, diagnosis });
    if (type === 'ComparisonError') this.#failed = true;
  }

  #compare(item: PreparedObject, known: KubeObject | undefined): ComparedResource | Promise<ComparedResource> {
    const refusal = refusalOf(this.#request, item);
    if (refusal) this.#find(refusal.type, refusal.diagnosis);
    const refused = refusal !== undefined;
    if (known && parseApiVersion(known.apiVersion).version === item.version && !this.#options.byServer(item))
      return this.#compared(item, known, refused);
    const served = this.#request.cache.findKind(item.key.group, item.key.kind);
    if (!served) return this.#compared(item, undefined, refused);
    return this.#load(item).then(async (live) => {
      if (!live || !this.#options.byServer(item)) return this.#compared(item, live, refused);
      return this.#comparedByServer(item, live, refused);
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

  async #comparedByServer(item: PreparedObject, live: KubeObject, refused: boolean): Promise<ComparedResource> {
    const { cache, signal } = this.#request;
    const compareOptions = this.#options.compareOptions(item);
    const options = this.#options.of(item);
    const stamp = `${live.metadata.uid} ${live.metadata.resourceVersion} ${compareOptions.join()} ${this.#options.changed(item)}`;
    const cached = serverResults.get(item.object);
    if (cached?.stamp === stamp && cached.rules === this.#rules) return this.#resource(item, live, refused, cached);
    try {
      const kept = this.#options.liveGenerated(item, live, options);
      const predicted = await predictByServer(kept.object, live, cache.client, {
        webhooks: compareOptions.includes('IncludeMutationWebhook=true'),
        signal,
      });
      const result = known(comparePredicted(predicted, live, options), options);
      serverResults.set(item.object, { stamp, rules: this.#rules, result, kept });
      return this.#resource(item, live, refused, { result, kept });
    } catch (error) {
      this.#find('ComparisonError', diagnosisOf(error));
      return this.#resource(item, live, refused);
    }
  }

  #compared(
    item: PreparedObject,
    live: KubeObject | undefined,
    refused: boolean,
  ): ComparedResource | Promise<ComparedResource> {
    if (!live) return this.#resource(item, undefined, refused);
    const stamp = `${live.metadata.uid} ${live.metadata.resourceVersion} ${live.apiVersion} ${this.#options.stamp(item)}`;
    const cached = results.get(item.object);
    if (cached?.stamp === stamp && cached.rules === this.#rules) return this.#resource(item, live, refused, cached);
    const options = this.#options.of(item);
    const kept = this.#options.liveGenerated(item, live, options);
    const found = compareObject(kept.object, live, options);
    if (found.differences.length > 0 && this.#options.isConfirmable(item) && isDoubtful(kept.object, live, options))
      return this.#confirmed(item, live, refused, { stamp, rules: this.#rules, result: found, kept }, options);
    const result = known(found, options);
    results.set(item.object, { stamp, rules: this.#rules, result, kept });
    return this.#resource(item, live, refused, { result, kept });
  }

  async #confirmed(
    item: PreparedObject,
    live: KubeObject,
    refused: boolean,
    found: Remembered & { readonly result: ObjectComparison },
    options: ObjectCompareOptions,
  ): Promise<ComparedResource> {
    const { cache, signal } = this.#request;
    const { kept } = found;
    const confirmed = await confirmDifference(kept.object, live, found.result, {
      client: cache.client,
      options,
      signal,
    });
    if (confirmed) results.set(item.object, { ...found, result: known(confirmed, options) });
    return this.#resource(item, live, refused, { result: known(confirmed ?? found.result, options), kept });
  }

  #resource(
    item: PreparedObject,
    live: KubeObject | undefined,
    refused: boolean,
    found: { readonly result?: KnownResult; readonly kept?: LiveGenerated } = {},
  ): ComparedResource {
    const shared = live && sharedOwner(item, live, this.#request.tracking);
    if (shared) this.#find(shared.type, shared.diagnosis);
    return desiredResource(item, live, this.#request.cache, { ...found, refused });
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

function versionServed(cache: CompareRequest['cache'], { group, kind }: ObjectKey): string {
  const version = cache.findKind(group, kind)?.version ?? 'v1';
  return group ? `${group}/${version}` : version;
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
