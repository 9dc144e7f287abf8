import { isDeepStrictEqual } from 'node:util';
import { qualifiedNameProblems, type Strategy } from '@tiphys/apimachinery';
import type { storageV1 } from '@tiphys/kubernetes';
import type { BuiltinKind } from '../shared/built-in-kind.ts';
import { at, listAt } from '../shared/cell-values.ts';
import { age, name } from '../shared/cells.ts';
import { validateDriverName } from '../shared/driver-names.ts';
import { oneOf, validateNonNegative } from '../shared/field-rules.ts';
import { drop, mapAt } from '../shared/gates.ts';

const driversOf = (spec: unknown): storageV1.CSINodeDriver[] =>
  (spec as storageV1.CSINodeSpec | undefined)?.drivers ?? [];

export const csiNode: Strategy = {
  unconditionalUpdate: false,
  metaRulesOnUpdate: true,
  generation: false,
  statusSubresource: false,
  validate({ spec }, errors) {
    const seen = new Set<string>();
    driversOf(spec).forEach(({ name = '', nodeID = '', topologyKeys, allocatable }, index) => {
      const at = `spec.drivers[${index}]`;
      validateDriverName(name, `${at}.name`, errors);
      if (!nodeID) errors.required(`${at}.nodeID`);
      if (nodeID.length > 256) errors.invalid(`${at}.nodeID`, nodeID, 'must be 256 characters or less');
      validateNonNegative(allocatable?.count, `${at}.allocatable.count`, errors);
      if (seen.has(name)) errors.duplicate(`${at}.name`, name);
      seen.add(name);
      (topologyKeys ?? []).forEach((key, position, keys) => {
        if (!key) errors.required(at);
        if (keys.indexOf(key) < position) errors.duplicate(at, key);
        for (const text of qualifiedNameProblems(key)) errors.invalid(at, key, text);
      });
    });
  },
  validateUpdate({ spec }, { spec: before }, errors) {
    for (const old of driversOf(before))
      for (const driver of driversOf(spec))
        if (driver.name === old.name && !isDeepStrictEqual(driver, old))
          errors.invalid('spec.drivers', shownDriver(driver), 'field is immutable');
  },
};

/** The driver as Go's internal type prints it. */
function shownDriver({ name, nodeID, topologyKeys, allocatable }: storageV1.CSINodeDriver): unknown {
  return {
    Name: name,
    NodeID: nodeID,
    TopologyKeys: topologyKeys ?? null,
    Allocatable: allocatable ? { Count: allocatable.count ?? null } : null,
  };
}

interface DriverSpec {
  attachRequired?: boolean;
  fsGroupPolicy?: string;
  tokenRequests?: { audience: string; expirationSeconds?: number }[];
  volumeLifecycleModes?: string[];
}

const MODES = ['Persistent', 'Ephemeral'];

export const csiDriver: Strategy = {
  unconditionalUpdate: false,
  generation: false,
  statusSubresource: false,
  defaults(object) {
    object.spec = {
      attachRequired: true,
      fsGroupPolicy: 'ReadWriteOnceWithFSType',
      podInfoOnMount: false,
      requiresRepublish: false,
      seLinuxMount: false,
      storageCapacity: false,
      volumeLifecycleModes: ['Persistent'],
      ...(object.spec as object | undefined),
    };
  },
  validate(object, errors) {
    const { fsGroupPolicy, tokenRequests = [], volumeLifecycleModes = [] } = object.spec as DriverSpec;
    oneOf(fsGroupPolicy, ['File', 'None', 'ReadWriteOnceWithFSType'], 'spec.fsGroupPolicy', errors);
    tokenRequests.forEach(({ audience, expirationSeconds: seconds }, index) => {
      const at = `spec.tokenRequests[${index}]`;
      if (tokenRequests.findIndex((other) => other.audience === audience) < index) {
        errors.duplicate(`${at}.audience`, audience);
        return;
      }
      if (seconds === undefined) return;
      if (seconds < 600)
        errors.invalid(`${at}.expirationSeconds`, seconds, 'may not specify a duration less than 10 minutes');
      if (seconds > 2 ** 32)
        errors.invalid(`${at}.expirationSeconds`, seconds, 'may not specify a duration larger than 2^32 seconds');
    });
    for (const mode of volumeLifecycleModes) oneOf(mode, MODES, 'spec.volumeLifecycleModes', errors);
  },
  validateUpdate(object, old, errors) {
    const [now, before] = [object.spec as DriverSpec, old.spec as DriverSpec];
    if (now.attachRequired !== before.attachRequired)
      errors.invalid('spec.attachedRequired', now.attachRequired, 'field is immutable');
    if (!isDeepStrictEqual(now.volumeLifecycleModes, before.volumeLifecycleModes))
      errors.invalid('spec.volumeLifecycleModes', now.volumeLifecycleModes ?? null, 'field is immutable');
  },
};

export const csiNodes: BuiltinKind = {
  strategy: csiNode,
  cells: (o, now) => [name(o), listAt(o, 'spec.drivers').length, age(o, now)],
};

export const csiDrivers: BuiltinKind = {
  strategy: csiDriver,
  cells: (o, now) => [
    name(o),
    at(o, 'spec.attachRequired') !== false,
    at(o, 'spec.podInfoOnMount') === true,
    at(o, 'spec.storageCapacity') === true,
    at(o, 'spec.tokenRequests')
      ? listAt<{ audience: string }>(o, 'spec.tokenRequests')
          .map(({ audience }) => audience)
          .join(',')
      : '<unset>',
    at(o, 'spec.requiresRepublish') === true,
    listAt<string>(o, 'spec.volumeLifecycleModes').join(',') || '<none>',
    age(o, now),
  ],
  gated: {
    spec: (object) => drop(mapAt(object, 'spec'), 'nodeAllocatableUpdatePeriodSeconds'),
  },
};
