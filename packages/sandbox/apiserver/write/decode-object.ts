import { badRequest, DecodeError, jsonType, type Resource, type StatusError } from '@tiphys/apimachinery';
import type { KubeObject } from '@tiphys/kubernetes';
import { unknownField } from '../http/duplicate-keys.ts';
import type { Operation } from '../request/operation.ts';

/**
 * Decodes a client's object for the resource, with the strictness of `fieldValidation`. Kind and version are read first,
 * as the API server does; they may be missing in objects of built-in kinds.
 */
export function decodeObject(operation: Operation, body: unknown): KubeObject {
  const { resource } = operation;
  const given = checkKind(operation, body);
  try {
    return decodeFields(operation, given);
  } catch (error) {
    if (!(error instanceof Undecodable)) throw error;
    const kind = resource.custom === undefined ? resource.kind : String(given.kind);
    throw unhandled({ kind, version: resource.version }, resource, error.message);
  }
}

/** Why an object cannot be decoded: what does not fit its type, or what is unknown where all must be known. */
export class Undecodable extends Error {
  /** Where the object comes from a strategic merge or an apply. */
  readonly converted: string;

  constructor(message: string, converted: string) {
    super(message);
    this.converted = converted;
  }
}

/** Decodes what is known to be of the resource's kind, as it was sent, or as a strategic merge or an apply has made it. Throws Undecodable. */
export function decodeFields(
  operation: Operation,
  given: Record<string, unknown>,
  made: 'sent' | 'merged' | 'applied' = 'sent',
): KubeObject {
  const { resource } = operation;
  const issues = { unknown: [] as string[], keepNulls: made === 'applied', converting: made !== 'sent' };
  let object: KubeObject;
  try {
    object = resource.decode(given, issues);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw new Undecodable(error.message, error.converted);
  }
  // An apply tells of what the schema does not know by itself; what it knows nothing about is taken away silently.
  const unknown = made === 'applied' ? [] : issues.unknown;
  const fields = unknown.map(unknownField);
  const { warnings = [], refusal, beside } = operation.duplicates ?? {};
  const inOrder = resource.custom === undefined ? beside?.(unknown) : undefined;
  const found = inOrder ?? [...warnings, ...fields];
  if (found.length && operation.fieldValidation === 'Strict') {
    const text = `strict decoding error: ${(inOrder ?? [...(refusal ? [refusal] : []), ...fields]).join(', ')}`;
    throw new Undecodable(text, text);
  }
  if (operation.fieldValidation === 'Warn') for (const text of found) operation.warn(text);
  // What is of another kind is refused when it is validated, by its own name.
  if (resource.custom !== undefined && given.kind !== resource.kind) object.kind = given.kind as string;
  return object;
}

interface Kind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** `the object is of this kind, and cannot be taken for the resource's`. */
function unhandled({ kind, version }: Omit<Kind, 'group'>, resource: Resource, why: string): StatusError {
  return badRequest(`${kind} in version ${JSON.stringify(version)} cannot be handled as a ${resource.kind}: ${why}`);
}

/** Refuses what is no object of the resource's kind and version; what is missing is filled in for built-in kinds. */
export function checkKind(operation: Operation, body: unknown): Record<string, unknown> {
  const { resource } = operation;
  const sent = operation.sent ?? Buffer.from(JSON.stringify(body ?? null));
  const given = readKind(resource, body, sent);
  if (resource.custom === undefined) {
    checkBuiltinKind(operation, given.actual);
    return given.object;
  }
  const { kind, apiVersion } = given;
  if (!kind) {
    const why = `Object 'Kind' is missing in '${JSON.stringify(body)}'`;
    throw operation.fieldValidation === 'Ignore'
      ? unhandled(resource, resource, why)
      : unrecognized(resource, why, sent);
  }
  if (apiVersion !== resource.apiVersion) throw otherVersion(resource, apiVersion);
  return given.object;
}

/** What `apiVersion` and `kind` say, with the resource's own in place of what is missing. */
function readKind(resource: Resource, body: unknown, sent: Buffer) {
  if (body !== null && (typeof body !== 'object' || Array.isArray(body)))
    throw unrecognized(
      resource,
      `couldn't get version/kind; json parse error: json: cannot unmarshal ${jsonType(body)} into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`,
      sent,
    );
  const object = (body ?? {}) as Record<string, unknown>;
  for (const field of Object.keys(object)) {
    const value = object[field];
    if ((field === 'kind' || field === 'apiVersion') && value !== null && typeof value !== 'string')
      throw unrecognized(
        resource,
        `couldn't get version/kind; json parse error: json: cannot unmarshal ${jsonType(value)} into Go struct field .${field} of type string`,
        sent,
      );
  }
  const apiVersion = (object.apiVersion as string | null | undefined) ?? '';
  const kind = (object.kind as string | null | undefined) ?? '';
  const parts = apiVersion.split('/');
  if (parts.length > 2) throw unrecognized(resource, `unexpected GroupVersion string: ${apiVersion}`, sent);
  const [group, version] = parts.length === 2 ? parts : ['', apiVersion];
  const own = apiVersion === '' || apiVersion === '/' || (!version && group === resource.group);
  const actual: Kind = {
    kind: kind || resource.kind,
    group: own ? resource.group : (group ?? ''),
    version: own ? resource.version : (version ?? ''),
  };
  return { object, apiVersion, kind, actual };
}

function checkBuiltinKind({ resource, server }: Operation, actual: Kind): void {
  const { group, version, kind } = actual;
  if (group === resource.group && version === resource.version && kind === resource.kind) return;
  const apiVersion = group ? `${group}/${version}` : version;
  if (!server.registry.findKind(group, version, kind))
    throw unhandled(
      actual,
      resource,
      `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "pkg/runtime/scheme.go:110"`,
    );
  if (group === resource.group && kind === resource.kind) throw otherVersion(resource, apiVersion);
  throw unhandled(
    actual,
    resource,
    `converting (${version}.${kind}) to (${resource.group.split('.')[0] || 'core'}.${resource.kind}): unknown conversion`,
  );
}

function otherVersion(resource: Resource, apiVersion: string): StatusError {
  return badRequest(
    `the API version in the data (${apiVersion}) does not match the expected API version (${resource.apiVersion})`,
  );
}

/** The text of what cannot be told to be anything, with its beginning. */
export function unrecognized({ kind }: Resource, why: string, text: Buffer): StatusError {
  const start = text.subarray(0, 30);
  const shown = `${text[0] === 0x7b ? start.toString() : start.toString('hex')}${text.length > 30 ? ' ...' : ''}`;
  return badRequest(`the object provided is unrecognized (must be of type ${kind}): ${why} (${shown || '<empty>'})`);
}
