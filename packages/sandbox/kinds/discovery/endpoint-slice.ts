import { isDeepStrictEqual } from 'node:util';
import type { Strategy } from '@tiphys/apimachinery';
import type { discoveryV1, KubeObject } from '@tiphys/kubernetes';
import type { BuiltinKind } from '../shared/built-in-kind.ts';
import { listAt, shortList, textAt } from '../shared/cell-values.ts';
import { age, name } from '../shared/cells.ts';
import { ipWarnings } from '../shared/ip-addresses.ts';
import { validateEndpointSlice } from './endpoint-slice-validation.ts';

/** The field is of an older version, and not written by this one. */
function dropTopology({ endpoints: list }: KubeObject): void {
  for (const endpoint of (list ?? []) as discoveryV1.Endpoint[]) delete endpoint.deprecatedTopology;
}

export const endpointSlice: Strategy = {
  metaRulesOnUpdate: true,
  generation: true,
  statusSubresource: false,
  defaults(object) {
    for (const port of (object.ports ?? []) as discoveryV1.EndpointPort[]) {
      port.name ??= '';
      port.protocol ??= 'TCP';
    }
  },
  prepareCreate: dropTopology,
  prepareUpdate(object, old) {
    if (!isDeepStrictEqual(object.endpoints, old.endpoints)) dropTopology(object);
  },
  warnings: ({ addressType, endpoints: list }, old) => [
    ...(addressType === 'FQDN' && !old ? ['spec.addressType: FQDN endpoints are deprecated'] : []),
    ...((addressType === 'FQDN' ? [] : (list ?? [])) as discoveryV1.Endpoint[]).flatMap(({ addresses }, index) =>
      (addresses ?? []).flatMap((address, position) =>
        ipWarnings(`endpoints[${index}].addresses[${position}]`, address),
      ),
    ),
  ],
  validate: validateEndpointSlice,
  validateUpdate(object, old, errors) {
    if (object.addressType !== old.addressType)
      errors.invalid('addressType', object.addressType ?? '', 'field is immutable');
  },
};

export const endpointSlices: BuiltinKind = {
  strategy: endpointSlice,
  cells: (o, now) => [
    name(o),
    o.addressType,
    shortList(
      listAt(o, 'ports').map((port) => textAt(port, 'port') || textAt(port, 'name')),
      3,
    ),
    shortList(
      listAt(o, 'endpoints').flatMap((endpoint) => listAt<string>(endpoint, 'addresses')),
      3,
    ),
    age(o, now),
  ],
};
