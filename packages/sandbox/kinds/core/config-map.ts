import type { Strategy } from '@tiphys/apimachinery';
import type { BuiltinKind } from '../shared/built-in-kind.ts';
import { age, name } from '../shared/cells.ts';
import { plain } from '../shared/plain.ts';
import { decodedSize, MAX_DATA, validateImmutable, validateKeys } from './config-data.ts';

export const configMap: Strategy = {
  metaRulesOnUpdate: true,
  ...plain,
  validate(object, errors) {
    const binary = (object.binaryData ?? {}) as object;
    for (const key of Object.keys(object.data ?? {})) {
      validateKeys({ [key]: '' }, 'data', errors);
      if (Object.hasOwn(binary, key)) errors.invalid(`data[${key}]`, key, 'duplicate of key present in binaryData');
    }
    validateKeys(object.binaryData as object | undefined, 'binaryData', errors);
    const texts = Object.values((object.data ?? {}) as Record<string, string>);
    const size = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0) + decodedSize(binary);
    if (size > MAX_DATA) errors.tooLong('[]', MAX_DATA);
  },
  validateUpdate: (object, old, errors) => validateImmutable(object, old, ['data', 'binaryData'], errors),
};

export const configMaps: BuiltinKind = {
  strategy: configMap,
  cells: (o, now) => [
    name(o),
    Object.keys((o.data ?? {}) as object).length + Object.keys((o.binaryData ?? {}) as object).length,
    age(o, now),
  ],
};
