import { isDns1035Label, isDnsSubdomain, isPathSegment, type Strategy, timestamp } from '@tiphys/apimachinery';
import type { KubeObject } from '@tiphys/kubernetes';
import type { BuiltinKind } from '../shared/built-in-kind.ts';
import { at, listAt, textAt } from '../shared/cell-values.ts';
import { age, name } from '../shared/cells.ts';

/** An APIService: who serves a version of a group. */
export interface ApiService extends KubeObject {
  spec: {
    group?: string;
    version?: string;
    groupPriorityMinimum: number;
    versionPriority: number;
    /** None for what this server serves itself. */
    service?: { namespace?: string; name?: string; port?: number };
    insecureSkipTLSVerify?: boolean;
    /** PEM, base64-encoded. */
    caBundle?: string;
  };
  status?: { conditions?: AvailableCondition[] };
}

export interface AvailableCondition {
  type: string;
  status: 'True' | 'False' | 'Unknown';
  lastTransitionTime: string;
  reason: string;
  message: string;
}

export function isAvailable({ status }: ApiService): boolean {
  return status?.conditions?.some(({ type, status: value }) => type === 'Available' && value === 'True') ?? false;
}

/** Status of an APIService that names no other server. */
export function locallyAvailable(lastTransitionTime: string): { conditions: AvailableCondition[] } {
  const message = 'Local APIServices are always available';
  return { conditions: [{ type: 'Available', status: 'True', lastTransitionTime, reason: 'Local', message }] };
}

export const apiService: Strategy = {
  metaRulesOnUpdate: true,
  generation: false,
  statusSubresource: true,
  unconditionalUpdate: false,
  defaults(object) {
    const { service } = (object as ApiService).spec ?? {};
    if (service) service.port ??= 443;
  },
  prepareCreate(object, { server }) {
    if ((object as ApiService).spec?.service) return;
    object.status = locallyAvailable(timestamp(server.clock));
  },
  nameRule(name, object) {
    const { group = '', version = '' } = (object as ApiService).spec ?? {};
    const wanted = `${version}.${group}`;
    const problems = isPathSegment(name);
    if (problems.length) return problems;
    return name === wanted ? [] : [`must be \`spec.version+"."+spec.group\`: ${JSON.stringify(wanted)}`];
  },
  validate(object, errors) {
    const { group = '', version = '', service, caBundle, ...spec } = (object as ApiService).spec ?? {};
    const { groupPriorityMinimum = 0, versionPriority = 0, insecureSkipTLSVerify: insecure } = spec;
    if (!group && version !== 'v1')
      errors.required('spec.group', 'only v1 may have an empty group and it better be legacy kube');
    if (group) for (const text of isDnsSubdomain(group)) errors.invalid('spec.group', group, text);
    for (const text of isDns1035Label(version)) errors.invalid('spec.version', version, text);
    if (groupPriorityMinimum <= 0 || groupPriorityMinimum > 20_000)
      errors.invalid('spec.groupPriorityMinimum', groupPriorityMinimum, 'must be positive and less than 20000');
    if (versionPriority <= 0 || versionPriority > 1000)
      errors.invalid('spec.versionPriority', versionPriority, 'must be positive and less than 1000');
    if (!service) {
      const bytes = Buffer.from(caBundle ?? '', 'base64').length;
      if (bytes) errors.invalid('spec.caBundle', `${bytes} bytes`, 'local APIServices may not have a caBundle');
      if (insecure)
        errors.invalid('spec.insecureSkipTLSVerify', true, 'local APIServices may not have insecureSkipTLSVerify');
      return;
    }
    const { namespace, name, port = 0 } = service;
    if (!namespace) errors.required('spec.service.namespace');
    if (!name) errors.required('spec.service.name');
    if (port < 1 || port > 65_535)
      errors.invalid('spec.service.port', port, 'port is not valid: must be between 1 and 65535, inclusive');
    if (insecure && caBundle)
      errors.invalid('spec.insecureSkipTLSVerify', true, 'may not be true if caBundle is present');
  },
  validateStatus(object, _, errors) {
    const statuses = ['True', 'False', 'Unknown'];
    ((object as ApiService).status?.conditions ?? []).forEach(({ status }, index) => {
      if (!statuses.includes(status)) errors.notSupported(`status.conditions[${index}].status`, status, statuses);
    });
  },
};

export const apiServices: BuiltinKind = {
  strategy: apiService,
  cells: (o, now) => {
    const service = at(o, 'spec.service')
      ? `${textAt(o, 'spec.service.namespace')}/${textAt(o, 'spec.service.name')}`
      : 'Local';
    const available = listAt<{ type: string; status: string; reason?: string }>(o, 'status.conditions').find(
      ({ type }) => type === 'Available',
    );
    return [
      name(o),
      service,
      available ? (available.status === 'True' ? 'True' : `${available.status} (${available.reason})`) : 'Unknown',
      age(o, now),
    ];
  },
};
