import type { KubeObject } from '@tiphys/kubernetes';
import type { ObjectCompareOptions } from '../difference/compare-object.ts';
import type { CompareRequest } from '../difference/comparison.ts';
import type { PreparedObject } from '../difference/desired-state.ts';
import type { compileIgnoreRules } from '../difference/ignore-rules.ts';
import { both, knownTypesFor } from '../difference/known-types.ts';
import { type LiveGenerated, withLiveGenerated } from '../difference/live-generated.ts';
import { annotationList, annotationNames, hasSyncOption } from '../model/annotations.ts';

export type IgnoreRules = ReturnType<typeof compileIgnoreRules>;

const noTypes: NonNullable<CompareRequest['knownTypes']> = [];
const noNoise: LiveGenerated['noise'] = [];

/** How each object of one request is compared: options of the application, of the object's annotations, and of ignore rules. */
export class ObjectOptions {
  readonly #request: CompareRequest;
  readonly #rules: IgnoreRules;

  constructor(request: CompareRequest, rules: IgnoreRules) {
    this.#request = request;
    this.#rules = rules;
  }

  of(item: PreparedObject): ObjectCompareOptions {
    const { options = {} } = this.#request;
    const ignoreStatus = options.ignoreStatus ?? 'all';
    const byOption =
      options.syncOptions?.includes('ServerSideApply=true') === true &&
      !hasSyncOption(item.object, 'ServerSideApply=false');
    return {
      ignore: both(this.#rules.for(item.key), knownTypesFor(item.key, this.#request.knownTypes ?? noTypes)),
      ignoreStatus: ignoreStatus === 'all' || (ignoreStatus === 'crd' && item.key.kind === 'CustomResourceDefinition'),
      ignoreAggregatedRoles: options.ignoreAggregatedRoles ?? false,
      serverSide: byOption || hasSyncOption(item.object, 'ServerSideApply=true'),
    };
  }

  /** Compare options of the application and of the object. */
  compareOptions(item: PreparedObject): string[] {
    return [
      ...(this.#request.options?.compareOptions ?? []),
      ...annotationList(item.object, annotationNames.compareOptions),
    ];
  }

  /** Whether the API server predicts what an apply would make of the object. */
  byServer(item: PreparedObject): boolean {
    const asked = this.compareOptions(item);
    if (asked.includes('ServerSideDiff=false')) return false;
    return asked.includes('ServerSideDiff=true') || this.#request.options?.serverSideDiff === true;
  }

  /** What would be written in another way than an apply, or is not to be compared by the server, is not tried there. */
  isConfirmable(item: PreparedObject): boolean {
    const replaced =
      this.#request.options?.syncOptions?.includes('Replace=true') || hasSyncOption(item.object, 'Replace=true');
    return !replaced && !this.compareOptions(item).includes('ServerSideDiff=false');
  }

  /** Changes when a result that was remembered for the same two sides no longer holds. */
  stamp(item: PreparedObject): string {
    const { knownTypes, options = {} } = this.#request;
    const types = knownTypes?.map((known) => Object.values(known).join()).join(';') ?? '';
    const serverSide = options.syncOptions?.includes('ServerSideApply=true') ?? '';
    return `${types} ${options.ignoreStatus ?? ''} ${options.ignoreAggregatedRoles ?? ''} ${serverSide} ${this.changed(item)}`;
  }

  /** Which of the object's generated fields are compared like all others. */
  changed({ generated }: PreparedObject): string {
    const { changedFields } = this.#request;
    if (generated.length === 0 || !changedFields?.size) return '';
    return generated.map((field) => (changedFields.has(field) ? '1' : '0')).join('');
  }

  /** The desired object with the generated values that live holds, except those that were changed on purpose or are ignored. */
  liveGenerated(
    { generated, object }: PreparedObject,
    live: KubeObject,
    { ignore }: ObjectCompareOptions,
  ): LiveGenerated {
    const { changedFields } = this.#request;
    const quiet = generated.filter((field) => !changedFields?.has(field));
    if (quiet.length === 0) return { object, noise: noNoise };
    if (!ignore) return withLiveGenerated(object, live, quiet);
    const rest = structuredClone(object);
    ignore(rest, live);
    return withLiveGenerated(
      object,
      live,
      quiet.filter(({ path }) => isAt(rest, path)),
    );
  }
}

function isAt(object: unknown, path: readonly (string | number)[]): boolean {
  let value = object;
  for (const step of path) value = (value as Record<string | number, unknown> | undefined)?.[step];
  return value !== undefined;
}
