type Json = Record<string, unknown>;

/** The parts of a document of OpenAPI 2.0 that are merged and converted. */
export interface OpenApiV2 extends Json {
  readonly info?: unknown;
  readonly paths?: Readonly<Record<string, Json>>;
  readonly definitions?: Readonly<Record<string, Json>>;
  readonly parameters?: Readonly<Record<string, Json>>;
  readonly responses?: Readonly<Record<string, Json>>;
}

interface Operation extends Json {
  readonly operationId?: string;
  readonly parameters?: readonly Json[];
  readonly responses?: Readonly<Record<string, Json>>;
  readonly consumes?: readonly string[];
  readonly produces?: readonly string[];
}

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch'];

/** The document as OpenAPI 3.0, with the losses that kube-apiserver's conversion has: shared parameters are not carried over. */
export function convertedDocument({ info, paths, definitions, responses, produces }: OpenApiV2): Json {
  const components = {
    ...(definitions ? { schemas: mapped(definitions, schema) } : {}),
    ...(responses
      ? { responses: mapped(responses, (one) => response(one, (produces as string[] | undefined) ?? [])) }
      : {}),
  };
  return {
    openapi: '3.0.0',
    ...(info === undefined ? {} : { info }),
    ...(paths ? { paths: mapped(paths, pathItem) } : {}),
    components,
  };
}

function mapped<T>(items: Readonly<Record<string, T>>, change: (item: T) => unknown): Json {
  return Object.fromEntries(Object.entries(items).map(([key, item]) => [key, change(item)]));
}

function pathItem(item: Json): Json {
  return Object.fromEntries(
    Object.entries(item).map(([key, value]) => {
      if (METHODS.includes(key)) return [key, operation(value as Operation)];
      return [key, key === 'parameters' ? (value as Json[]).map(parameter) : value];
    }),
  );
}

function operation({ consumes = [], produces = [], parameters = [], responses = {}, ...rest }: Operation): Json {
  const { schemes: _, security: __, ...kept } = rest;
  const body = parameters.find((one) => one.name === 'body' && one.schema !== undefined);
  const others = parameters.filter((one) => one !== body).map(parameter);
  return {
    ...kept,
    ...(others.length ? { parameters: others } : {}),
    ...(body ? { requestBody: { content: contentOf(consumes, body.schema) } } : {}),
    responses: mapped(responses, (one) => response(one, produces)),
  };
}

function response({ schema: of, ...rest }: Json, produces: readonly string[]): Json {
  return { ...(schema(rest) as Json), ...(of === undefined ? {} : { content: contentOf(produces, of) }) };
}

function contentOf(types: readonly string[], of: unknown): Json {
  return Object.fromEntries(types.map((type) => [type, { schema: schema(of) }]));
}

function parameter(one: Json): Json {
  const { name, description, in: place, required, allowEmptyValue, type, format, uniqueItems, $ref } = one;
  if (typeof $ref === 'string') return { $ref: $ref.replace('#/parameters/', '#/components/parameters/') };
  const simple = { ...(type ? { type } : {}), ...(format ? { format } : {}), ...(uniqueItems ? { uniqueItems } : {}) };
  return {
    name,
    in: place,
    ...(description ? { description } : {}),
    ...(required ? { required } : {}),
    ...(allowEmptyValue ? { allowEmptyValue } : {}),
    schema: one.schema === undefined ? simple : schema(one.schema),
  };
}

const REFERENCES = [
  ['#/definitions/', '#/components/schemas/'],
  ['#/responses/', '#/components/responses/'],
] as const;

/** The value with its references changed; what stands beside one in a property goes around it, for 3.0 ignores that. */
function schema(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(schema);
  if (typeof value !== 'object' || value === null) return value;
  const { $ref, ...rest } = value as Json;
  const others = mapped(rest, schema);
  if (typeof $ref !== 'string') return $ref === undefined ? others : { ...others, $ref: schema($ref) };
  const [from, to] = REFERENCES.find(([prefix]) => $ref.startsWith(prefix)) ?? ['', ''];
  const reference = { $ref: to + $ref.slice(from.length) };
  return Object.keys(others).length ? { ...others, allOf: [reference] } : reference;
}
