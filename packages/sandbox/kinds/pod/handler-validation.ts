import type { FieldErrors } from '@tiphys/apimachinery';
import type { coreV1 } from '@tiphys/kubernetes';
import { oneOf, validateNonNegative, validatePort } from '../shared/field-rules.ts';
import type { Container } from '../shared/shapes.ts';
import type { ContainerScope } from './container-validation.ts';

interface Handler {
  exec?: { command?: string[] };
  httpGet?: { path?: string; port?: string | number; scheme?: string; httpHeaders?: { name: string }[] };
  tcpSocket?: { port?: string | number };
  grpc?: { port?: number };
  sleep?: { seconds?: number };
}

interface FullProbe extends Handler {
  initialDelaySeconds?: number;
  timeoutSeconds?: number;
  periodSeconds?: number;
  successThreshold?: number;
  failureThreshold?: number;
  terminationGracePeriodSeconds?: number;
}

/** Validates the hooks and probes of a container; init containers have them only if they go on. */
export function validateHandlers(
  container: Container,
  at: string,
  { init, spec }: ContainerScope,
  errors: FieldErrors,
): void {
  const ordinary = init && container.restartPolicy !== 'Always';
  const lifecycle = container.lifecycle as coreV1.Lifecycle | undefined;
  const grace = spec.terminationGracePeriodSeconds ?? 30;
  for (const name of ['postStart', 'preStop'] as const)
    if (lifecycle?.[name] && !ordinary)
      validateHandler(lifecycle[name] as Handler, `${at}.lifecycle.${name}`, errors, grace);
  for (const kind of ['livenessProbe', 'readinessProbe', 'startupProbe'] as const) {
    const probe = container[kind] as FullProbe | undefined;
    if (!probe) continue;
    if (ordinary) errors.forbidden(`${at}.${kind}`, 'may not be set for init containers without restartPolicy=Always');
    else validateProbe(probe, `${at}.${kind}`, kind, errors);
  }
  if (ordinary && lifecycle)
    errors.forbidden(`${at}.lifecycle`, 'may not be set for init containers without restartPolicy=Always');
}

function validateHandler(handler: Handler, path: string, errors: FieldErrors, grace?: number): void {
  let count = 0;
  const more = (field: keyof Handler): boolean => {
    if (!handler[field]) return false;
    count += 1;
    if (count === 1) return true;
    errors.forbidden(`${path}.${field}`, 'may not specify more than 1 handler type');
    return false;
  };
  if (more('exec') && !handler.exec?.command?.length) errors.required(`${path}.exec.command`);
  if (more('httpGet')) validateHttpGet(handler.httpGet ?? {}, `${path}.httpGet`, errors);
  if (more('tcpSocket')) validatePort(handler.tcpSocket?.port, `${path}.tcpSocket.port`, errors);
  if (more('grpc')) validatePort(handler.grpc?.port, `${path}.grpc.port`, errors);
  if (more('sleep')) {
    const seconds = handler.sleep?.seconds ?? 0;
    if (seconds < 0 || seconds > (grace ?? 30))
      errors.invalid(
        `${path}.sleep`,
        seconds,
        `must be non-negative and less than terminationGracePeriodSeconds (${grace})`,
      );
  }
  if (!count) errors.required(path, 'must specify a handler type');
}

function validateHttpGet(
  { path: urlPath, port, scheme, httpHeaders }: NonNullable<Handler['httpGet']>,
  path: string,
  errors: FieldErrors,
): void {
  if (!urlPath) errors.required(`${path}.path`);
  validatePort(port, `${path}.port`, errors);
  oneOf(scheme, ['HTTP', 'HTTPS'], `${path}.scheme`, errors);
  for (const { name } of httpHeaders ?? [])
    if (!/^[-A-Za-z0-9]+$/.test(name))
      errors.invalid(
        `${path}.httpHeaders`,
        name,
        "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')",
      );
}

function validateProbe(probe: FullProbe, path: string, kind: string, errors: FieldErrors): void {
  validateHandler(probe, path, errors);
  for (const field of [
    'initialDelaySeconds',
    'timeoutSeconds',
    'periodSeconds',
    'successThreshold',
    'failureThreshold',
  ] as const)
    validateNonNegative(probe[field], `${path}.${field}`, errors);
  const { terminationGracePeriodSeconds: grace } = probe;
  if (grace !== undefined && grace <= 0)
    errors.invalid(`${path}.terminationGracePeriodSeconds`, grace, 'must be greater than 0');
  if (kind !== 'readinessProbe' && probe.successThreshold !== 1)
    errors.invalid(`${path}.successThreshold`, probe.successThreshold, 'must be 1');
  if (kind === 'readinessProbe' && grace !== undefined)
    errors.invalid(`${path}.terminationGracePeriodSeconds`, grace, 'must not be set for readinessProbes');
}
