import { type DescField, type DescMessage, type DescMethod, getOption, ScalarType } from '@bufbuild/protobuf';
import { httpRule, services } from '@tiphys/api';
import type { HttpRequest, HttpResponse } from '../transport/http-message.ts';
import { sendCompressed } from './compressed.ts';

type Json = Record<string, unknown>;

/** Answers `/swagger.json`: the REST API that is Argo CD's, as OpenAPI 2.0 made of the protobuf definitions. Undefined for other paths. */
export function serveApiDescription(
  path: string,
  { request, response, version }: { request: HttpRequest; response: HttpResponse; version: string },
): Promise<void> | undefined {
  if (path !== '/swagger.json' || request.method !== 'GET') return undefined;
  text ??= JSON.stringify(describeApi(version));
  return sendCompressed(request, response, text);
}

/** The definitions are those of the program. */
let text: string | undefined;

export function describeApi(version: string): Json {
  const definitions = new Map<string, Json>();
  const paths = new Map<string, Map<string, Json>>();
  for (const service of Object.values(services))
    for (const method of service.methods) {
      const rule = getOption(method, httpRule);
      for (const { pattern, body } of [rule, ...rule.additionalBindings]) {
        if (pattern.case === undefined || typeof pattern.value !== 'string') continue;
        const path = pattern.value.replaceAll('=**}', '}');
        const verbs = paths.get(path) ?? new Map<string, Json>();
        paths.set(path, verbs);
        // the same address has an old and a new name in Argo CD; the first is reported
        if (!verbs.has(pattern.case))
          verbs.set(pattern.case, operationOf(method, { tag: service.name, path, body, definitions }));
      }
    }
  return {
    swagger: '2.0',
    info: { title: 'Tiphys', version, description: 'The API of Argo CD. What is more is below /api/tiphys/v1.' },
    consumes: ['application/json'],
    produces: ['application/json'],
    paths: Object.fromEntries([...paths].sort().map(([path, verbs]) => [path, Object.fromEntries(verbs)])),
    definitions: Object.fromEntries([...definitions].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

function operationOf(
  method: DescMethod,
  { tag, path, body, definitions }: { tag: string; path: string; body: string; definitions: Map<string, Json> },
): Json {
  const inPath = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name as string);
  const parameters: Json[] = inPath.map((name) => ({ name, in: 'path', required: true, type: 'string' }));
  const bodyField = method.input.fields.find(({ name, jsonName }) => name === body || jsonName === body);
  if (body === '*')
    parameters.push({ name: 'body', in: 'body', required: true, schema: reference(method.input, definitions) });
  else if (bodyField?.message)
    parameters.push({ name: 'body', in: 'body', required: true, schema: reference(bodyField.message, definitions) });
  if (body !== '*')
    for (const field of method.input.fields) {
      if (field === bodyField || field.message || inPath.includes(field.jsonName) || inPath.includes(field.name))
        continue;
      parameters.push({ name: field.jsonName, in: 'query', ...schemaOf(field, definitions) });
    }
  return {
    tags: [tag],
    operationId: `${tag}_${method.name}`,
    parameters,
    responses: {
      200: {
        description: method.methodKind === 'server_streaming' ? 'A stream of answers' : 'The answer',
        schema: reference(method.output, definitions),
      },
    },
  };
}

function reference(message: DescMessage, definitions: Map<string, Json>): Json {
  const name = message.typeName.replace('github.com.argoproj.argo_cd.v3.pkg.apis.application.', '');
  if (!definitions.has(name)) {
    const definition: Json = { type: 'object' };
    definitions.set(name, definition);
    definition.properties = Object.fromEntries(
      message.fields.map((field) => [field.jsonName, schemaOf(field, definitions)]),
    );
  }
  return { $ref: `#/definitions/${name}` };
}

function schemaOf(field: DescField, definitions: Map<string, Json>): Json {
  if (field.fieldKind === 'list')
    return { type: 'array', items: field.message ? reference(field.message, definitions) : scalarOf(field.scalar) };
  if (field.fieldKind === 'map')
    return {
      type: 'object',
      additionalProperties: field.message ? reference(field.message, definitions) : scalarOf(field.scalar),
    };
  return field.message ? reference(field.message, definitions) : scalarOf(field.scalar);
}

function scalarOf(scalar: ScalarType | undefined): Json {
  switch (scalar) {
    case ScalarType.BOOL:
      return { type: 'boolean' };
    case ScalarType.BYTES:
      return { type: 'string', format: 'byte' };
    case ScalarType.INT32:
    case ScalarType.UINT32:
      return { type: 'integer', format: 'int32' };
    case ScalarType.INT64:
    case ScalarType.UINT64:
      return { type: 'string', format: 'int64' };
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT:
      return { type: 'number' };
    default:
      return { type: 'string' };
  }
}
