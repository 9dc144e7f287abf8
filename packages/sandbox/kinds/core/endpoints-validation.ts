import { type FieldErrors, isDnsLabel, isDnsSubdomain, qualifiedNameProblems } from '@tiphys/apimachinery';
import type { KubeObject } from '@tiphys/kubernetes';
import { oneOf, validateEndpointIp, validateIp, validatePort } from '../shared/field-rules.ts';

interface EndpointAddress {
  ip: string;
  hostname?: string;
  nodeName?: string;
}

interface Subset {
  addresses?: EndpointAddress[];
  notReadyAddresses?: EndpointAddress[];
  ports?: { name?: string; port: number; protocol?: string; appProtocol?: string }[];
}

export function validateEndpoints(object: KubeObject, errors: FieldErrors): void {
  ((object.subsets ?? []) as Subset[]).forEach((subset, index) => {
    const at = `subsets[${index}]`;
    if (!subset.addresses?.length && !subset.notReadyAddresses?.length)
      errors.required(at, 'must specify `addresses` or `notReadyAddresses`');
    for (const list of ['addresses', 'notReadyAddresses'] as const)
      (subset[list] ?? []).forEach(({ ip, hostname, nodeName }, position) => {
        const here = `${at}.${list}[${position}]`;
        validateIp(ip, `${here}.ip`, errors);
        if (hostname) for (const text of isDnsLabel(hostname)) errors.invalid(`${here}.hostname`, hostname, text);
        if (nodeName !== undefined)
          for (const text of isDnsSubdomain(nodeName)) errors.invalid(`${here}.nodeName`, nodeName, text);
        validateEndpointIp(ip, `${here}.ip`, errors);
      });
    const { ports = [] } = subset;
    ports.forEach(({ name, port, protocol, appProtocol }, position) => {
      const here = `${at}.ports[${position}]`;
      if (!name && ports.length > 1) errors.required(`${here}.name`);
      else if (name) for (const text of isDnsLabel(name)) errors.invalid(`${here}.name`, name, text);
      validatePort(port, `${here}.port`, errors);
      oneOf(protocol, ['SCTP', 'TCP', 'UDP'], `${here}.protocol`, errors);
      if (appProtocol !== undefined)
        for (const text of qualifiedNameProblems(appProtocol)) errors.invalid(`${here}.appProtocol`, appProtocol, text);
    });
  });
}
