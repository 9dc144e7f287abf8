import { StatusError } from './status.ts';

/** In which form an answer is wanted. */
export interface Wanted {
  readonly as: 'object' | 'Table' | 'PartialObjectMetadata' | 'PartialObjectMetadataList';
  /** Version of meta.k8s.io for the forms. */
  readonly version: string;
  readonly yaml: boolean;
}

const PLAIN: Wanted = { as: 'object', version: 'v1', yaml: false };

/** Chooses from an Accept header what this server can write: JSON, YAML, tables and partial metadata. */
export function negotiate(accept: string | undefined): Wanted {
  if (!accept || accept === '*/*' || accept === 'application/json') return PLAIN;
  for (const clause of accept.split(',')) {
    const [type, ...rest] = clause.split(';').map((part) => part.trim());
    const parameters = new Map(rest.map((part) => part.split('=') as [string, string]));
    if (
      parameters.has('stream') ||
      (type !== 'application/json' && type !== 'application/yaml' && type !== '*/*' && type !== 'application/*')
    )
      continue;
    const yaml = type === 'application/yaml';
    const as = parameters.get('as');
    if (!as) return yaml ? { ...PLAIN, yaml } : PLAIN;
    const version = parameters.get('v') ?? 'v1';
    if (parameters.get('g') !== 'meta.k8s.io' || (version !== 'v1' && version !== 'v1beta1')) continue;
    if (as === 'Table' || as === 'PartialObjectMetadata' || as === 'PartialObjectMetadataList')
      return { as, version, yaml };
  }
  throw new StatusError(
    406,
    'NotAcceptable',
    '406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, application/vnd.kubernetes.protobuf, application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch',
    {},
  );
}
