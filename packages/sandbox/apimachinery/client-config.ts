import type { FieldErrors } from './errors/field-errors.ts';
import { isDnsSubdomain } from './names/names.ts';

/** How the API server reaches a webhook: by URL or by service. */
export interface ClientConfig {
  url?: string;
  service?: { namespace?: string; name?: string; path?: string; port?: number };
  /** PEM, base64-encoded. */
  caBundle?: string;
}

/** Validates what a webhook is reached by, with the API server's words. */
export function validateClientConfig(config: ClientConfig, path: string, errors: FieldErrors): void {
  const { url, service } = config;
  if ((url === undefined) === (service === undefined))
    errors.required(path, 'exactly one of url or service is required');
  else if (url !== undefined) validateUrl(url, `${path}.url`, errors);
  else if (service) validateService(service, `${path}.service`, errors);
}

const FORM = '; desired format: https://host[/path]';

function validateUrl(text: string, path: string, errors: FieldErrors): void {
  const match = /^(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?:\/\/([^/?#]*))?[^?#]*(?:\?([^#]*))?(?:#(.*))?$/.exec(text);
  const [, scheme = '', authority = '', query = '', fragment = ''] = match ?? [];
  const at = authority.lastIndexOf('@');
  const host = authority.slice(at + 1);
  if (scheme !== 'https') errors.invalid(path, scheme, `'https' is the only allowed URL scheme${FORM}`);
  if (!host) errors.invalid(path, host, `host must be specified${FORM}`);
  if (at >= 0) errors.invalid(path, authority.slice(0, at), 'user information is not permitted in the URL');
  if (fragment) errors.invalid(path, fragment, 'fragments are not permitted in the URL');
  if (query) errors.invalid(path, query, 'query parameters are not permitted in the URL');
}

function validateService(service: NonNullable<ClientConfig['service']>, at: string, errors: FieldErrors): void {
  const { name, namespace, path, port = 443 } = service;
  // The API server mixes the two up.
  if (!namespace) errors.required(`${at}.name`);
  if (!name) errors.required(`${at}.namespace`);
  if (port < 1 || port > 65535)
    errors.invalid(`${at}.port`, port, 'port is not valid: must be between 1 and 65535, inclusive');
  if (!path || path === '/') return;
  if (path === '//') {
    errors.invalid(`${at}.path`, path, 'segment[0] may not be empty');
    return;
  }
  if (!path.startsWith('/')) errors.invalid(`${at}.path`, path, "must start with a '/'");
  path
    .slice(1)
    .replace(/\/$/, '')
    .split('/')
    .forEach((segment, index) => {
      if (!segment) errors.invalid(`${at}.path`, path, `segment[${index}] may not be empty`);
      else
        for (const problem of isDnsSubdomain(segment))
          errors.invalid(`${at}.path`, path, `segment[${index}]: ${problem}`);
    });
}
