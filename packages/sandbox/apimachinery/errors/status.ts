/** `details.causes` of a Status. */
export interface StatusCause {
  reason: string;
  message: string;
  field?: string;
}

/** The answer of a failed request, as `v1.Status` writes it. */
export interface Status {
  kind: 'Status';
  apiVersion: 'v1';
  metadata: Record<string, unknown>;
  status: 'Failure' | 'Success';
  message?: string;
  reason?: string;
  details?: {
    name?: string;
    group?: string;
    kind?: string;
    uid?: string;
    causes?: StatusCause[];
    retryAfterSeconds?: number;
  };
  code: number;
}

/** What a resource is called in messages: `deployments.apps`. */
export interface QualifiedName {
  readonly group: string;
  /** Plural of the resource, or the kind for Invalid. */
  readonly name: string;
}

/** Thrown by whatever handles a request; becomes the answer. The wire's own form of a diagnosis. */
export class StatusError extends Error {
  readonly status: Status;

  constructor(code: number, reason: string, message: string, details?: Status['details']) {
    super(message);
    this.name = 'StatusError';
    this.status = {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message,
      ...(reason ? { reason } : {}),
      ...(details ? { details } : {}),
      code,
    };
  }
}

export function qualified({ group, name }: QualifiedName): string {
  return group ? `${name}.${group}` : name;
}

function details(resource: QualifiedName, name: string, causes?: StatusCause[]): NonNullable<Status['details']> {
  return {
    ...(name ? { name } : {}),
    ...(resource.group ? { group: resource.group } : {}),
    ...(resource.name ? { kind: resource.name } : {}),
    ...(causes?.length ? { causes } : {}),
  };
}

export function notFound(resource: QualifiedName, name: string): StatusError {
  return new StatusError(
    404,
    'NotFound',
    `${qualified(resource)} ${JSON.stringify(name)} not found`,
    details(resource, name),
  );
}

export function alreadyExists(resource: QualifiedName, name: string, deleting = false): StatusError {
  return new StatusError(
    409,
    'AlreadyExists',
    `${deleting ? 'object is being deleted: ' : ''}${qualified(resource)} ${JSON.stringify(name)} already exists`,
    details(resource, name),
  );
}

export function conflict(resource: QualifiedName, name: string, why: string): StatusError {
  return new StatusError(
    409,
    'Conflict',
    `Operation cannot be fulfilled on ${qualified(resource)} ${JSON.stringify(name)}: ${why}`,
    details(resource, name),
  );
}

export const MODIFIED = 'the object has been modified; please apply your changes to the latest version and try again';

export function badRequest(message: string): StatusError {
  return new StatusError(400, 'BadRequest', message);
}

export function forbidden(resource: QualifiedName, name: string, why: string): StatusError {
  const subject = name ? `${qualified(resource)} ${JSON.stringify(name)}` : qualified(resource);
  return new StatusError(403, 'Forbidden', `${subject} is forbidden: ${why}`, details(resource, name));
}

export function unsupported(what: string, remedy: string): StatusError {
  return new StatusError(501, 'NotImplemented', `${what} is not served by the sandbox: ${remedy}`);
}

export function methodNotAllowed(): StatusError {
  return new StatusError(
    405,
    'MethodNotAllowed',
    'the server does not allow this method on the requested resource',
    {},
  );
}

export function expired(message: string): StatusError {
  return new StatusError(410, 'Expired', message);
}

/** The resource's group or version is not served. */
export function noSuchResource(): StatusError {
  return new StatusError(404, 'NotFound', 'the server could not find the requested resource', {});
}
