const LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const LABEL_1035 = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;

/** What is wrong with a name; empty if nothing. The texts are the API server's. */
export function isDnsSubdomain(name: string): string[] {
  const found: string[] = [];
  if (name.length > 253) found.push('must be no more than 253 characters');
  if (!SUBDOMAIN.test(name))
    found.push(
      "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    );
  return found;
}

export function isDnsLabel(name: string): string[] {
  const found: string[] = [];
  if (name.length > 63) found.push('must be no more than 63 characters');
  if (!LABEL.test(name))
    found.push(
      SUBDOMAIN.test(name)
        ? 'must not contain dots'
        : "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
    );
  return found;
}

export function isDns1035Label(name: string): string[] {
  const found: string[] = [];
  if (name.length > 63) found.push('must be no more than 63 characters');
  if (!LABEL_1035.test(name))
    found.push(
      "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
    );
  return found;
}

/** Names of RBAC objects and others that only must fit into a path. */
export function isPathSegment(name: string): string[] {
  if (name === '.' || name === '..') return [`may not be '${name}'`];
  return ['/', '%']
    .filter((character) => name.includes(character))
    .map((character) => `may not contain '${character}'`);
}
