import type { KubeObject } from '@tiphys/kubernetes';
import { objectsAt, textAt, valueAt } from '../../model/fields.ts';
import type { Health } from '../../model/model.ts';
import { health } from '../conditions.ts';
import { type Check, type Checks, firstOf, forKinds, given, isSeen, judge, listAt, own, when } from './check.ts';

/** What an implementation says of one parent or listener; undefined if it says nothing bad. */
function verdict(holder: unknown, path: readonly string[], name: string, who: string): Health | undefined {
  const list = objectsAt(holder, ...path);
  const told = (text: string) => `${who}${text}`;
  for (const type of ['ResolvedRefs', 'Accepted']) {
    const failed = judge(list, [when(type, 'False', 'Degraded', (one) => told(own(`Failed condition: ${type}`)(one)))]);
    if (failed) return failed;
  }
  return judge(list, [
    {
      type: 'Programmed',
      unless: 'True',
      code: 'Progressing',
      message: (one) => told(own(`${name} is still being programmed`)(one)),
    },
  ]);
}

const observes = (list: readonly Readonly<Record<string, unknown>>[], object: KubeObject) =>
  list.every(({ observedGeneration }) => observedGeneration === undefined || isSeen(object, observedGeneration));

function route(kind: string, { observed }: { readonly observed: boolean }): Check {
  return (object) => {
    const parents = objectsAt(object, 'status', 'parents').filter((parent) => {
      const list = objectsAt(parent, 'conditions');
      if (!observed || object.metadata.generation === undefined) return true;
      return list.length > 0 && observes(list, object);
    });
    for (const parent of parents) {
      const bad = verdict(parent, ['conditions'], 'Route', `Parent ${textAt(parent, 'parentRef', 'name')}: `);
      if (bad) return bad;
    }
    return parents.some((parent) => objectsAt(parent, 'conditions').length > 0)
      ? health('Healthy', `${kind} is healthy`)
      : health('Progressing', `Waiting for ${kind} status`);
  };
}

const gateway: Check = (object) => {
  const bad = verdict(object, ['status', 'conditions'], 'Gateway', '');
  if (bad) return bad;
  const listeners = objectsAt(object, 'status', 'listeners');
  for (const listener of listeners) {
    const worse = verdict(listener, ['conditions'], 'Listener', 'Listener: ');
    if (worse) return worse;
  }
  return Array.isArray(valueAt(object, 'status', 'conditions')) || listeners.length > 0
    ? health('Healthy', 'Gateway is healthy')
    : health('Progressing', 'Waiting for Gateway status');
};

const gatewayClass: Check = (object) => {
  const generation = object.metadata.generation;
  const list = objectsAt(object, 'status', 'conditions').filter(
    ({ observedGeneration: seen }) => generation === undefined || seen === undefined || seen === generation,
  );
  return (
    judge(list, [
      when('Accepted', 'True', 'Healthy', own('GatewayClass is accepted')),
      when('Accepted', 'False', 'Degraded', own('GatewayClass is not accepted')),
      { type: 'Accepted', code: 'Progressing', message: own('Waiting for GatewayClass status') },
    ]) ?? health('Progressing', 'Waiting for GatewayClass status')
  );
};

const backendPolicy: Check = (object) => {
  const ancestors = objectsAt(object, 'status', 'ancestors');
  const nameOf = (ancestor: unknown) => textAt(ancestor, 'ancestorRef', 'name');
  const late = ancestors.find((ancestor) => !observes(objectsAt(ancestor, 'conditions'), object));
  if (late && object.metadata.generation !== undefined)
    return health('Progressing', `Waiting for Ancestor ${nameOf(late)} to update BackendTLSPolicy status`);
  let accepted = false;
  for (const ancestor of ancestors) {
    const list = objectsAt(ancestor, 'conditions');
    const refused = list.find(
      ({ type, status }) => (type === 'Accepted' || type === 'ResolvedRefs') && status !== 'True',
    );
    if (refused) return health('Degraded', `Ancestor ${nameOf(ancestor)}: ${textAt(refused, 'message')}`);
    accepted ||= list.some(({ type }) => type === 'Accepted');
  }
  return accepted
    ? health('Healthy', 'BackendTLSPolicy is healthy')
    : health('Progressing', 'Waiting for BackendTLSPolicy status');
};

/** Gloo writes states as names or, in older versions, as numbers; one for each namespace that uses the object. */
function glooState(status: unknown): Health | undefined {
  const reason = textAt(status, 'reason');
  switch (valueAt(status, 'state')) {
    case 'Accepted':
    case 1:
      return health('Healthy', 'The resource has been validated');
    case 'Pending':
    case 0:
      return health('Suspended', 'The resource has not yet been validated');
    case 'Rejected':
    case 2:
    case 'Warning':
    case 3:
      return health('Degraded', reason);
    default:
      return undefined;
  }
}

const gloo: Check = (object) => {
  const statuses = (valueAt(object, 'status', 'statuses') ?? {}) as Record<string, unknown>;
  const states = [
    ...Object.keys(statuses)
      .sort()
      .map((name) => statuses[name]),
    object.status,
  ];
  return states.map(glooState).find(Boolean) ?? health('Progressing', 'Update in progress');
};

const seenConditions = (object: KubeObject) =>
  objectsAt(object, 'status', 'conditions').filter(({ observedGeneration }) => isSeen(object, observedGeneration));

const httpProxy: Check = (object) => {
  const description = textAt(object, 'status', 'description');
  const includes = listAt(object, 'spec', 'includes').length > 0;
  const included = health('Healthy', 'HTTPProxy inclusions cannot be health checked');
  for (const { type, status } of seenConditions(object)) {
    if (type === 'Valid' && status === 'True') return health('Healthy', description);
    if (status === 'False' && includes) return included;
    if (type === 'Valid' && status === 'False') return health('Degraded', description);
  }
  const early = !Array.isArray(valueAt(object, 'status', 'conditions')) && valueAt(object, 'status', 'currentStatus');
  return health('Progressing', early ? description : 'Waiting for status');
};

const certificate = firstOf(
  ['Progressing', 'At least one certificate is still being provisioned'],
  given(
    (object) => objectsAt(object, 'status', 'domainStatus').some(({ status }) => status === 'FailedNotVisible'),
    'Degraded',
    'At least one certificate has failed to be provisioned',
  ),
  given(
    (object) => textAt(object, 'status', 'certificateStatus') === 'Active',
    'Healthy',
    'All certificates are active',
  ),
);

/** Kinds that lead traffic into and through clusters. */
export const gatewayKinds: Checks = {
  'gateway.networking.k8s.io/BackendTLSPolicy': backendPolicy,
  'gateway.networking.k8s.io/GRPCRoute': route('GRPCRoute', { observed: false }),
  'gateway.networking.k8s.io/Gateway': gateway,
  'gateway.networking.k8s.io/GatewayClass': gatewayClass,
  'gateway.networking.k8s.io/HTTPRoute': route('HTTPRoute', { observed: true }),
  ...forKinds(
    'gateway.solo.io',
    ['Gateway', 'MatchableHttpGateway', 'RouteOption', 'RouteTable', 'VirtualHostOption', 'VirtualService'],
    () => gloo,
  ),
  ...forKinds('gloo.solo.io', ['Proxy', 'Settings', 'Upstream', 'UpstreamGroup'], () => gloo),
  'networking.gke.io/ManagedCertificate': certificate,
  'projectcontour.io/ExtensionService': (object) =>
    judge(seenConditions(object), [when('Valid', 'True', 'Healthy'), when('Valid', 'False', 'Degraded')]) ??
    health('Progressing', 'Waiting for status'),
  'projectcontour.io/HTTPProxy': httpProxy,
};
