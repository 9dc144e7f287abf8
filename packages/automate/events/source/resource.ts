import { Informer, type InformerChange, type KubeObject } from '@tiphys/kubernetes';
import { matches } from '../filter/data-filter.ts';
import { getPath } from '../json/get-path.ts';
import { goJson, goMapJson } from '../json/go-json.ts';
import { parseNode } from '../json/node.ts';
import { missing, SpecError, type SpecProblem, wrong } from '../spec/spec-problem.ts';
import { type Listen, type SourceContext, untilAborted } from './source.ts';

interface Selector {
  readonly key: string;
  readonly operation?: string;
  readonly value?: string;
}

export interface ResourceSpec {
  readonly namespace?: string;
  readonly group?: string;
  readonly version?: string;
  readonly resource?: string;
  readonly eventTypes?: readonly string[];
  readonly filter?: {
    readonly prefix?: string;
    readonly labels?: readonly Selector[];
    readonly fields?: readonly Selector[];
    readonly createdBy?: string;
    readonly afterStart?: boolean;
  };
  readonly metadata?: Readonly<Record<string, string>>;
}

const types = { added: 'ADD', updated: 'UPDATE', deleted: 'DELETE' } as const;

/** What is wrong with the spec, by upstream's rules. */
export function resourceProblem({ version, resource, eventTypes = [], filter }: ResourceSpec): SpecProblem | undefined {
  if (!version) return missing('version', 'version must be specified', 'v1');
  if (!resource) return missing('resource', 'resource must be specified', 'pods');
  if (eventTypes.length === 0) return missing('eventTypes', 'event types must be specified', '[ADD]');
  const unknown = eventTypes.findIndex((type) => !Object.values(types).includes(type as 'ADD'));
  if (unknown >= 0)
    return wrong(`eventTypes[${unknown}]`, `unknown event type: ${eventTypes[unknown]}`, 'Write ADD, UPDATE or DELETE');
  for (const [index, { operation, key, value }] of (filter?.fields ?? []).entries()) {
    const place = `filter.fields[${index}]`;
    if (!['', undefined, '=', '==', '!='].includes(operation))
      return wrong(
        `${place}.operation`,
        `invalid operator ${operation} of field ${key}, only =, == and != are supported`,
        'Write ==, or !=',
      );
    const tried = matches(value ?? '', '');
    if (typeof tried === 'string')
      return wrong(`${place}.value`, `field ${key}: ${tried}`, 'Correct the regular expression (RE2)');
  }
  const { labels = [] } = filter ?? {};
  const odd = labels.findIndex(({ operation }) => !labelOperators.has(operation || '='));
  if (odd < 0) return undefined;
  return wrong(
    `filter.labels[${odd}].operation`,
    `${JSON.stringify(labels[odd]?.operation)} is not a valid label selector operator`,
    `Write one of ${[...labelOperators.keys()].join(', ')}`,
  );
}

/** Tells of objects that come, change and go. */
export const listen: Listen<ResourceSpec> = async (context, ready) => {
  const { spec, client, clock, signal, namespace: _own, log } = context;
  const { group = '', version = '', resource = '', filter } = spec;
  const apiVersion = group ? `${group}/${version}` : version;
  const kind = await kindOf(context, apiVersion, resource);
  const started = clock.now();
  const selector = labelSelector(filter?.labels ?? []);
  const informer = new Informer(
    client.as({ component: 'events', purpose: `source ${context.sourceName}/${context.eventName}` }),
    {
      ref: { apiVersion, kind, ...(spec.namespace ? { namespace: spec.namespace } : {}) },
      clock,
      ...(selector ? { labelSelector: selector } : {}),
      onError: (problem) => log('error', 'failed to watch', { error: problem.message }),
    },
  );
  let turn = Promise.resolve();
  informer.subscribe((change) => {
    if (!spec.eventTypes?.includes(types[change.type]) || !passes(change, spec, started)) return;
    turn = turn.then(() => context.dispatch(dataOf(change, spec))).catch((error: unknown) => context.failed(error));
  });
  informer.start(signal);
  await informer.synced;
  ready();
  await untilAborted(signal);
  await turn;
};

async function kindOf({ client, eventName }: SourceContext, apiVersion: string, resource: string): Promise<string> {
  const known = await client.discovery.resources();
  const isWanted = (found: { group: string; version: string; plural: string }) =>
    found.plural === resource && (found.group ? `${found.group}/${found.version}` : found.version) === apiVersion;
  const found = known.find(isWanted);
  if (found) return found.kind;
  client.discovery.invalidate();
  const again = (await client.discovery.resources()).find(isWanted);
  if (again) return again.kind;
  throw new SpecError(
    'InvalidEventSource',
    `event ${eventName}: the cluster does not serve ${resource} of ${apiVersion}`,
  );
}

/** How the API writes each operator of a label selector. */
const labelOperators: ReadonlyMap<string, (key: string, value: string) => string> = new Map([
  ['=', (key, value) => `${key}=${value}`],
  ['==', (key, value) => `${key}=${value}`],
  ['!=', (key, value) => `${key}!=${value}`],
  ['in', (key, value) => `${key} in (${value})`],
  ['notin', (key, value) => `${key} notin (${value})`],
  ['exists', (key) => key],
  ['!', (key) => `!${key}`],
  ['gt', (key, value) => `${key}>${value}`],
  ['lt', (key, value) => `${key}<${value}`],
]);

/** Selectors of the spec as a label selector of the API. Throws `SpecError`. */
export function labelSelector(selectors: readonly Selector[]): string {
  return selectors
    .map(({ key, operation, value = '' }) => {
      const written = labelOperators.get(operation || '=');
      if (!written)
        throw new SpecError(
          'InvalidEventSource',
          `${JSON.stringify(operation)} is not a valid label selector operator`,
        );
      return written(key, value);
    })
    .join(',');
}

function passes({ type, object }: InformerChange<KubeObject>, { filter }: ResourceSpec, started: number): boolean {
  if (!filter) return true;
  const { metadata } = object;
  if (filter.prefix && !metadata.name?.startsWith(filter.prefix)) return false;
  // times of objects are whole seconds
  if (filter.afterStart && happenedAt(type, object) < Math.floor(started / 1000) * 1000) return false;
  if (filter.createdBy && timeOf(metadata.creationTimestamp) > timeOf(filter.createdBy)) return false;
  if (!filter.fields?.length) return true;
  const node = parseNode(JSON.stringify(object));
  return filter.fields.every(({ key, operation, value = '' }) => {
    const found = getPath(node, key);
    if (!found) return false;
    const isMatch = matches(value, found.kind === 'string' ? found.value : '') === true;
    return isMatch === (operation !== '!=');
  });
}

function happenedAt(type: InformerChange<KubeObject>['type'], { metadata }: KubeObject): number {
  const created = timeOf(metadata.creationTimestamp);
  if (type === 'added') return created;
  if (type === 'deleted')
    return metadata.deletionTimestamp ? timeOf(metadata.deletionTimestamp) : Number.POSITIVE_INFINITY;
  const managed = (metadata as { managedFields?: { time?: string; operation?: string }[] }).managedFields ?? [];
  return Math.max(
    created,
    ...managed.filter(({ operation }) => operation === 'Update').map(({ time }) => timeOf(time)),
  );
}

function timeOf(text: unknown): number {
  const ms = typeof text === 'string' ? Date.parse(text) : Number.NaN;
  return Number.isNaN(ms) ? 0 : ms;
}

function dataOf({ type, object, old }: InformerChange<KubeObject>, spec: ResourceSpec): string {
  const { group = '', version = '', resource = '', metadata } = spec;
  const parts = [
    `"type":"${types[type]}"`,
    `"body":${goMapJson(object)}`,
    `"oldBody":${type === 'updated' && old ? goMapJson(old) : 'null'}`,
    goJson({ group, version, resource }).slice(1, -1),
    ...(metadata && Object.keys(metadata).length > 0 ? [`"metadata":${goMapJson(metadata)}`] : []),
  ];
  return `{${parts.join(',')}}`;
}
