import { badRequest, FieldErrors, type FieldTerm, fieldQuery, parseInt64 } from '@tiphys/apimachinery';
import { labelQuery, type MatchesLabels } from './label-query.ts';

/** What the query of a list, a watch or a deletion of a collection says. */
export interface ListOptions {
  readonly labels: MatchesLabels | undefined;
  readonly fields: readonly FieldTerm[];
  readonly watch: boolean;
  readonly allowWatchBookmarks: boolean;
  /** Empty when absent. */
  readonly resourceVersion: string;
  /** Empty when absent. */
  readonly resourceVersionMatch: string;
  readonly timeoutSeconds: number;
  /** 0 for no limit. */
  readonly limit: number;
  readonly continue: string;
  readonly sendInitialEvents: boolean | undefined;
}

/** Reads and checks the options as the API server does, defaults of a watch included. BadRequest for what can't be read, Invalid for what doesn't go together. */
export function listOptions(query: URLSearchParams): ListOptions {
  // Numbers are read before selectors.
  const timeoutSeconds = integer(query.get('timeoutSeconds'));
  const limit = Math.max(0, integer(query.get('limit')));
  const labels = query.get('labelSelector');
  const options: ListOptions = {
    labels: labels ? labelQuery(labels) : undefined,
    fields: fieldQuery(query.get('fieldSelector') ?? ''),
    watch: flag(query.get('watch')) ?? false,
    allowWatchBookmarks: flag(query.get('allowWatchBookmarks')) ?? false,
    resourceVersion: query.get('resourceVersion') ?? '',
    resourceVersionMatch: query.get('resourceVersionMatch') ?? '',
    timeoutSeconds,
    limit,
    continue: query.get('continue') ?? '',
    sendInitialEvents: flag(query.get('sendInitialEvents')),
  };
  const { resourceVersion: version } = options;
  // A watch from no version begins with what there is.
  const legacy =
    options.watch &&
    options.sendInitialEvents === undefined &&
    options.resourceVersionMatch === '' &&
    (version === '' || version === '0');
  const result = legacy ? { ...options, sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' } : options;
  const errors = new FieldErrors();
  (options.watch ? checkWatch : checkList)(result, errors);
  errors.throwIfAny({ group: 'meta.k8s.io', name: 'ListOptions' }, '');
  return result;
}

const MATCH = 'resourceVersionMatch';

function checkList(options: ListOptions, errors: FieldErrors): void {
  const { resourceVersionMatch: match, resourceVersion } = options;
  if (match !== '') {
    if (resourceVersion === '') errors.forbidden(MATCH, `${MATCH} is forbidden unless resourceVersion is provided`);
    if (options.continue) errors.forbidden(MATCH, `${MATCH} is forbidden when continue is provided`);
    if (match !== 'Exact' && match !== 'NotOlderThan') errors.notSupported(MATCH, match, ['Exact', 'NotOlderThan', '']);
    if (match === 'Exact' && resourceVersion === '0')
      errors.forbidden(MATCH, `${MATCH} "exact" is forbidden for resourceVersion "0"`);
  }
  if (options.sendInitialEvents !== undefined)
    errors.forbidden('sendInitialEvents', 'sendInitialEvents is forbidden for list');
}

function checkWatch(options: ListOptions, errors: FieldErrors): void {
  const { resourceVersionMatch: match, sendInitialEvents } = options;
  if (sendInitialEvents !== undefined && match !== 'NotOlderThan')
    errors.forbidden(MATCH, `sendInitialEvents requires setting ${MATCH} to NotOlderThan`);
  if (match === '') return;
  if (sendInitialEvents === undefined)
    errors.forbidden(MATCH, `${MATCH} is forbidden for watch unless sendInitialEvents is provided`);
  if (match !== 'NotOlderThan') errors.notSupported(MATCH, match, ['NotOlderThan']);
  if (options.continue) errors.forbidden(MATCH, `${MATCH} is forbidden when continue is provided`);
}

/** A boolean of a query: whatever is there and isn't `0` or `false` is true, even nothing. Undefined when absent. */
export function flag(value: string | null): boolean | undefined {
  return value === null ? undefined : value !== '0' && value.toLowerCase() !== 'false';
}

/** A 64-bit integer of a query, 0 when absent. */
export function integer(value: string | null): number {
  if (value === null) return 0;
  const why = (reason: string) => badRequest(`strconv.ParseInt: parsing ${JSON.stringify(value)}: ${reason}`);
  const number = parseInt64(value);
  if (number === undefined) throw why(/^[+-]?\d+$/.test(value) ? 'value out of range' : 'invalid syntax');
  return Number(number);
}
