import type { Strategy } from '@tiphys/apimachinery';
import type { coreV1 } from '@tiphys/kubernetes';
import type { BuiltinKind } from '../shared/built-in-kind.ts';
import { age, name } from '../shared/cells.ts';
import { plain } from '../shared/plain.ts';
import { decodedSize, MAX_DATA, validateImmutable, validateKeys } from './config-data.ts';

const REQUIRED: Record<string, readonly string[]> = {
  'kubernetes.io/tls': ['tls.crt', 'tls.key'],
  'kubernetes.io/dockerconfigjson': ['.dockerconfigjson'],
  'kubernetes.io/dockercfg': ['.dockercfg'],
  'kubernetes.io/ssh-auth': ['ssh-privatekey'],
  'kubernetes.io/basic-auth': ['username', 'password'],
};

export const secret: Strategy = {
  metaRulesOnUpdate: true,
  ...plain,
  defaults(object) {
    object.type ??= 'Opaque';
    const { stringData } = object as coreV1.Secret;
    delete object.stringData;
    if (!stringData) return;
    const data = { ...(object.data as Record<string, string> | undefined) };
    for (const [key, value] of Object.entries(stringData)) data[key] = Buffer.from(value).toString('base64');
    object.data = Object.fromEntries(Object.entries(data).sort(([a], [b]) => (a < b ? -1 : 1)));
  },
  validate(object, errors) {
    const data = (object.data ?? {}) as Record<string, string>;
    validateKeys(data, 'data', errors);
    if (decodedSize(data) > MAX_DATA) errors.tooLong('data', MAX_DATA);
    const type = String(object.type);
    for (const key of REQUIRED[type] ?? []) if (data[key] === undefined) errors.required(`data[${key}]`);
    if (
      type === 'kubernetes.io/service-account-token' &&
      !object.metadata.annotations?.['kubernetes.io/service-account.name']
    )
      errors.required('metadata.annotations[kubernetes.io/service-account.name]');
    const docker = data['.dockerconfigjson'];
    if (type === 'kubernetes.io/dockerconfigjson' && docker !== undefined) {
      try {
        JSON.parse(Buffer.from(docker, 'base64').toString());
      } catch (error) {
        if (!(error instanceof SyntaxError)) throw error;
        errors.invalid('data[.dockerconfigjson]', '<secret contents redacted>', error.message);
      }
    }
  },
  validateUpdate(object, old, errors) {
    if (object.type !== old.type) errors.invalid('type', object.type, 'field is immutable');
    validateImmutable(object, old, ['data'], errors);
  },
  fields: (object) => ({ type: String(object.type ?? '') }),
};

export const secrets: BuiltinKind = {
  strategy: secret,
  cells: (o, now) => [name(o), o.type, Object.keys((o.data ?? {}) as object).length, age(o, now)],
};
