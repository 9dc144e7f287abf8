import { badRequest, StatusError } from '@tiphys/apimachinery';

/** In which form an answer is wanted. */
export interface Wanted {
  readonly as: 'object' | 'Table' | 'PartialObjectMetadata' | 'PartialObjectMetadataList';
  /** Version of meta.k8s.io for the forms. */
  readonly version: string;
  readonly yaml: boolean;
}

/** What is asked: custom resources have no protobuf form, and lists may be watched. */
interface Offer {
  readonly custom: boolean;
  readonly list: boolean;
  /** False for what is asked and not kept, such as reviews: nothing prints them as tables. */
  readonly tables?: boolean;
  /** The aggregator's own words, which are those of someone who understands the header. */
  readonly aggregator?: boolean;
}

interface Clause {
  readonly type: string;
  readonly quality: number;
  readonly parameters: ReadonlyMap<string, string>;
}

const OFFERED = new Set(['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf', '*/*']);

const PLAIN: Wanted = { as: 'object', version: 'v1', yaml: false };
const PROTOBUF = 'application/vnd.kubernetes.protobuf';

/** Chooses from an Accept header what this server can write: JSON, YAML, tables and partial metadata. 406 with the API server's words for anything else. */
export function negotiate(
  accept: string | undefined,
  { custom, list, tables = true, aggregator = false }: Offer,
): Wanted {
  if (!accept || accept === 'application/json') return PLAIN;
  const some = accept.split(',').some((text) => OFFERED.has((text.split(';')[0] ?? '').trim()));
  for (const clause of some ? clausesOf(accept) : []) {
    const wanted = chosen(clause);
    if (wanted && (tables || wanted.as !== 'Table')) return wanted;
  }
  // A client that has nothing else is told that protobuf is not to be had here.
  const types = ['application/json', 'application/yaml', ...(custom || accept.includes(PROTOBUF) ? [] : [PROTOBUF])];
  const streams = types.filter((type) => type !== 'application/yaml').map((type) => `${type};stream=watch`);
  if (some || aggregator) throw notAcceptable(types);
  const all = [...types, ...(list ? streams : [])];
  throw new StatusError(
    406,
    'NotAcceptable',
    `406: Not Acceptable\n\nAvailable representations: ${all.join(', ')}`,
    {},
  );
}

/** Watches are not told in YAML. */
export function checkStream(wanted: Wanted, custom: boolean): void {
  if (wanted.yaml)
    throw notAcceptable(['application/json', ...(custom ? [] : [PROTOBUF])].map((type) => `${type};stream=watch`));
}

function notAcceptable(types: readonly string[]): StatusError {
  return new StatusError(406, 'NotAcceptable', `only the following media types are accepted: ${types.join(', ')}`);
}

/** `includeObject` of a table; BadRequest for what there is none of. */
export function checkTableOptions(wanted: Wanted, query: URLSearchParams): void {
  const include = query.get('includeObject') ?? '';
  if (wanted.as === 'Table' && !['', 'None', 'Metadata', 'Object'].includes(include))
    throw badRequest(
      `Unable to convert to Table as requested: includeObject: Invalid value: ${JSON.stringify(include)}: must be 'Metadata', 'Object', 'None', or empty`,
    );
}

/** The header's clauses, the most wanted first. */
function clausesOf(accept: string): Clause[] {
  const clauses = accept.split(',').flatMap((text): Clause[] => {
    const [type = '', ...rest] = text.split(';').map((part) => part.trim());
    const parameters = new Map(
      rest.flatMap((part) => {
        const [key = '', value, ...more] = part.split('=');
        return value && !more.length ? [[key.trim(), value.trim()] as const] : [];
      }),
    );
    const full = type === '*' ? '*/*' : type;
    if (full.split('/').length !== 2) return [];
    const quality = parameters.has('q') ? Number(parameters.get('q')) || 0 : 1;
    return [{ type: full, quality, parameters }];
  });
  const vague = ({ type }: Clause) => (type === '*/*' ? 2 : type.endsWith('/*') ? 1 : 0);
  return clauses.sort((a, b) => b.quality - a.quality || vague(a) - vague(b));
}

function chosen({ type, parameters }: Clause): Wanted | undefined {
  const yaml = type === 'application/yaml';
  if (!yaml && !['application/json', 'application/*', '*/*'].includes(type)) return undefined;
  const stream = parameters.get('stream');
  if ((stream && (stream !== 'watch' || yaml)) || parameters.has('sv')) return undefined;
  const plain = { ...PLAIN, yaml };
  const [as, group, version = ''] = ['as', 'g', 'v'].map((key) => parameters.get(key));
  if (as === undefined && group === undefined && version === '') return plain;
  if (group !== 'meta.k8s.io' || (version !== 'v1' && version !== 'v1beta1')) return undefined;
  if (as !== 'Table' && as !== 'PartialObjectMetadata' && as !== 'PartialObjectMetadataList') return undefined;
  return { ...plain, as, version };
}
