import { define, FunctionError, type FunctionSpec } from '../value/function-spec.ts';
import { stringOf, typeOf, type Value, type ValueMap } from '../value/value.ts';
import { formatUrl, type GoUrl, GoUrlError, hostName, parseUrl } from './addresses/go-url.ts';

/** Go's net/url in a function: what it refuses fails the call. */
function parsed(text: string, what: string): GoUrl {
  try {
    return parseUrl(text);
  } catch (error) {
    if (!(error instanceof GoUrlError)) throw error;
    throw new FunctionError(`unable to parse ${what}: ${error.message}`);
  }
}

function parse(text: string): ValueMap {
  const { scheme, host, path, query, opaque, fragment, userinfo } = parsed(text, 'url');
  return new Map<string, Value>([
    ['scheme', scheme],
    ['host', host],
    ['hostname', hostName(host)],
    ['path', path],
    ['query', query],
    ['opaque', opaque],
    ['fragment', fragment],
    ['userinfo', userinfo ?? ''],
  ]);
}

function join(map: ValueMap): string {
  const get = (key: string): string => {
    const value = map.get(key);
    if (value === undefined) return '';
    const text = stringOf(value);
    if (text === undefined)
      throw new FunctionError(
        `unable to parse ${key} key, must be of type string, but ${typeOf(value)?.kind ?? 'invalid'} found`,
      );
    return text;
  };
  const [scheme, host, path, query, opaque, fragment, userinfo] = [
    'scheme',
    'host',
    'path',
    'query',
    'opaque',
    'fragment',
    'userinfo',
  ].map(get) as [string, string, string, string, string, string, string];
  const user = userinfo === '' ? undefined : parsed(`proto://${userinfo}@host`, 'userinfo in dict').userinfo;
  return formatUrl({
    scheme,
    host,
    path,
    query,
    opaque,
    fragment,
    userinfo: user,
    rawPath: '',
    forceQuery: false,
    omitHost: false,
  });
}

/** Sprig's functions of URLs. */
export const urlFunctions: ReadonlyMap<string, FunctionSpec> = new Map<string, FunctionSpec>([
  ['urlParse', define('string', ([text]) => parse(text as string))],
  [
    'urlJoin',
    define('map[string]any', ([map]) =>
      join((map instanceof Map ? map : (map as unknown as { entries: ValueMap }).entries) as ValueMap),
    ),
  ],
]);
