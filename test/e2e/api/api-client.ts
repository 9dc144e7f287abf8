import { type DescMethod, type DescService, getOption } from '@bufbuild/protobuf';
import { Code, ConnectError, createClient } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import { fromWire, httpRule, services, toWire } from '@tiphys/api';

/** `application.get` */
type MethodName = string;
/** What a call gave: JSON (a list of it, for a stream), or a refusal. */
export interface Answer {
  readonly code: keyof typeof Code | 'OK';
  readonly message: string;
  readonly value: unknown;
}

/** All methods of the API, `service.method`. */
export function methodNames(): MethodName[] {
  return Object.entries(services).flatMap(([service, { methods }]) =>
    (methods as readonly DescMethod[]).map(({ localName }) => `${service}.${localName}`),
  );
}

function methodOf(name: MethodName): { service: DescService; method: DescMethod } {
  const [service = '', method = ''] = name.split('.');
  const desc = services[service as keyof typeof services] as DescService;
  return { service: desc, method: (desc.method as Record<string, DescMethod>)[method] as DescMethod };
}

/** Calls a method by gRPC; of a stream at most `items` answers are taken, one if absent. */
export async function callGrpc(
  url: string,
  token: string | undefined,
  name: MethodName,
  request: object,
  items = 1,
): Promise<Answer> {
  const { service, method } = methodOf(name);
  const client = createClient(service, createGrpcTransport({ baseUrl: url })) as unknown as Record<
    string,
    (request: unknown, options: object) => Promise<unknown> & AsyncIterable<unknown>
  >;
  const abort = new AbortController();
  const options = { headers: token ? { token } : {}, signal: abort.signal };
  const invoke = client[method.localName] as (
    request: unknown,
    options: object,
  ) => Promise<unknown> & AsyncIterable<unknown>;
  try {
    if (method.methodKind === 'server_streaming') {
      const value: unknown[] = [];
      for await (const item of invoke(toWire(method.input, request), options)) {
        value.push(fromWire(method.output, item as never));
        if (value.length >= items) break;
      }
      return { code: 'OK', message: '', value };
    }
    const sent =
      method.methodKind === 'client_streaming'
        ? (async function* () {
            yield toWire(method.input, request);
          })()
        : toWire(method.input, request);
    return { code: 'OK', message: '', value: fromWire(method.output, (await invoke(sent, options)) as never) };
  } catch (error) {
    const { code, rawMessage } = ConnectError.from(error);
    return { code: Code[code] as keyof typeof Code, message: rawMessage, value: undefined };
  } finally {
    abort.abort();
  }
}

/** Calls a method by its REST form; undefined where it has none. Streams give their first item. */
export async function callRest(
  url: string,
  token: string | undefined,
  name: MethodName,
  request: Record<string, unknown>,
): Promise<(Answer & { readonly status: number }) | undefined> {
  const { method } = methodOf(name);
  const rule = getOption(method, httpRule);
  const { pattern, body } =
    [rule, ...rule.additionalBindings].find((binding) =>
      fieldsOf(binding.pattern.value).every((field) => field in request),
    ) ?? rule;
  if (pattern.case === undefined || method.methodKind === 'client_streaming') return undefined;
  const rest = structuredClone(request);
  const path = pattern.value.replace(/\{([^=}]+)(?:=\*\*)?\}/g, (_all, field: string) =>
    encodeURIComponent(String(take(rest, field.split('.')))),
  );
  const query = body === '*' ? '' : `?${queryOf(rest, body)}`;
  const payload = body === '*' ? rest : body ? rest[body] : undefined;
  const abort = new AbortController();
  const response = await fetch(`${url}${path}${query}`, {
    method: pattern.case.toUpperCase(),
    headers: { 'content-type': 'application/json', ...(token ? { authorization: `Bearer ${token}` } : {}) },
    signal: abort.signal,
    ...(body ? { body: JSON.stringify(payload ?? {}) } : {}),
  });
  const streams = method.methodKind === 'server_streaming';
  const text = streams ? await firstLine(response) : await response.text();
  abort.abort();
  const json = (text ? JSON.parse(text) : {}) as { code?: number; message?: string; result?: unknown; error?: object };
  const { status } = response;
  if (status === 200) return { status, code: 'OK', message: '', value: streams ? [json.result] : json };
  const { grpc_code: code, message } = (streams ? json.error : { grpc_code: json.code, message: json.message }) as {
    grpc_code: number;
    message: string;
  };
  return { status, code: Code[code] as keyof typeof Code, message, value: undefined };
}

/** First parts of the fields in a path. */
function fieldsOf(path: string | undefined): string[] {
  return [...(path ?? '').matchAll(/\{([^=}.]+)/g)].map(([, field]) => field as string);
}

/** Takes the value at a path out of the request, since it is in the URL then; an identity in a body stays. */
function take(request: Record<string, unknown>, path: readonly string[]): unknown {
  const [first = '', ...rest] = path;
  if (rest.length > 0)
    return rest.reduce<unknown>((value, key) => (value as Record<string, unknown>)?.[key], request[first]);
  const value = request[first];
  delete request[first];
  return value;
}

function queryOf(request: Record<string, unknown>, body: string): string {
  const query = new URLSearchParams();
  const add = (name: string, value: unknown) => {
    if (Array.isArray(value)) for (const item of value) add(name, item);
    else if (typeof value === 'object' && value !== null)
      for (const [key, item] of Object.entries(value)) add(`${name}.${key}`, item);
    else query.append(name, String(value));
  };
  for (const [name, value] of Object.entries(request)) if (name !== body) add(name, value);
  return query.toString();
}

async function firstLine(response: Response): Promise<string> {
  let text = '';
  if (!response.body) return text;
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    if (text.includes('\n')) break;
  }
  return text.split('\n')[0] ?? '';
}
