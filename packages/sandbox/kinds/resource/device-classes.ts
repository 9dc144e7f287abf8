import type { Strategy } from '@tiphys/apimachinery';
import type { resourceV1 } from '@tiphys/kubernetes';
import type { BuiltinKind } from '../shared/built-in-kind.ts';
import { drop, mapAt } from '../shared/gates.ts';
import { type Configuration, validateConfiguration, validateList, validateSelectors } from './device-rules.ts';

export const deviceClass: Strategy = {
  metaRulesOnUpdate: true,
  generation: true,
  statusSubresource: false,
  validate({ spec }, errors) {
    const { selectors, config } = (spec ?? {}) as resourceV1.DeviceClassSpec;
    validateSelectors(selectors, 'spec.selectors', errors);
    const check = (each: Configuration, at: string) => validateConfiguration(each, at, errors);
    validateList(config, { max: 32, check }, 'spec.config', errors);
  },
};

export const deviceClasses: BuiltinKind = {
  strategy: deviceClass,
  gated: { spec: (object) => drop(mapAt(object, 'spec'), 'extendedResourceName') },
};
