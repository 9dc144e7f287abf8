import { type FieldErrors, isDnsSubdomain } from '@tiphys/apimachinery';
import type { coreV1 } from '@tiphys/kubernetes';
import type { Container, PodSpec } from '../shared/shapes.ts';

export interface WindowsOptions {
  gmsaCredentialSpecName?: string;
  gmsaCredentialSpec?: string;
  runAsUserName?: string;
  hostProcess?: boolean;
}

const MAX_SPEC_KIB = 64;

const MAX_DOMAIN = 256;

const MAX_USER = 104;

const NETBIOS = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/;

const DNS = /^[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/;

const CONTROL = /[\x00-\x1f\x7f]/;

export function validateWindowsOptions(options: WindowsOptions | undefined, at: string, errors: FieldErrors): void {
  const { gmsaCredentialSpecName: name, gmsaCredentialSpec: spec, runAsUserName: user } = options ?? {};
  if (name !== undefined)
    for (const text of isDnsSubdomain(name)) errors.invalid(`${at}.gmsaCredentialSpecName`, name, text);
  if (spec === '') errors.invalid(`${at}.gmsaCredentialSpec`, spec, 'gmsaCredentialSpec cannot be an empty string');
  else if (spec !== undefined && Buffer.byteLength(spec) > MAX_SPEC_KIB * 1024)
    errors.invalid(`${at}.gmsaCredentialSpec`, spec, `gmsaCredentialSpec size must be under ${MAX_SPEC_KIB} KiB`);
  if (user !== undefined) for (const text of userProblems(user)) errors.invalid(`${at}.runAsUserName`, user, text);
}

function userProblems(name: string): string[] {
  const parts = name.split('\\');
  if (!name) return ['runAsUserName cannot be an empty string'];
  if (CONTROL.test(name)) return ['runAsUserName cannot contain control characters'];
  if (parts.length > 2) return ['runAsUserName cannot contain more than one backslash'];
  const [domain, user] = parts.length === 2 ? [parts[0], parts[1] ?? ''] : [undefined, name];
  const found: string[] = [];
  if ((domain ?? '').length >= MAX_DOMAIN)
    found.push(`runAsUserName's Domain length must be under ${MAX_DOMAIN} characters`);
  if (domain !== undefined && !NETBIOS.test(domain) && !DNS.test(domain))
    found.push("runAsUserName's Domain doesn't match the NetBios nor the DNS format");
  if (!user) found.push("runAsUserName's User cannot be empty");
  else if (user.length > MAX_USER)
    found.push(`runAsUserName's User length must not be longer than ${MAX_USER} characters`);
  if (/^[. ]+$/.test(user)) found.push("runAsUserName's User cannot contain only periods or spaces");
  if (/["/\\:;|=,+*?<>@[\]]/.test(user))
    found.push(`runAsUserName's User cannot contain the following characters: "/\\:;|=,+*?<>@[]`);
  return found;
}

const hostProcessOf = (context: object | undefined): boolean | undefined =>
  (context as coreV1.SecurityContext | undefined)?.windowsOptions?.hostProcess;

/** Processes of the host: all containers of a pod are, or none, and then the network is the host's too. */
export function validateHostProcesses(spec: PodSpec, path: string, errors: FieldErrors): void {
  const ofPod = hostProcessOf(spec.securityContext);
  let [all, count] = [0, 0];
  for (const list of ['initContainers', 'containers', 'ephemeralContainers'] as const)
    for (const [index, container] of ((spec[list] ?? []) as Container[]).entries()) {
      const own = hostProcessOf(container.securityContext);
      all += 1;
      if (ofPod !== undefined && own !== undefined && ofPod !== own)
        errors.invalid(
          `${path}.${list}[${index}].securityContext.windowsOptions.hostProcess`,
          own,
          `pod hostProcess value must be identical if both are specified, was ${ofPod}`,
        );
      if (own ?? ofPod) count += 1;
    }
  if (count === 0) return;
  if (count !== all)
    errors.invalid(
      path,
      '',
      'If pod contains any hostProcess containers then all containers must be HostProcess containers',
    );
  if (!spec.hostNetwork)
    errors.invalid(`${path}.hostNetwork`, false, 'hostNetwork must be true if pod contains any hostProcess containers');
}
