import type { Sender } from './sender.ts';
import { hmacProblem, sameSecret } from './signature.ts';

/** Packages of GitHub's registry come with GitHub's own headers and secret. */
export const ghcr: Sender = {
  name: 'ghcr',
  claims: ({ header }) => header('x-github-event') === 'package',
  isSecured: (secrets) => Boolean(secrets.github),
  refusalStatus: 401,
  refuseBody: ({ header }, body, secrets) =>
    hmacProblem(secrets.github, body, { header: 'X-Hub-Signature-256', value: header('x-hub-signature-256') }),
  read(_request, body) {
    const { at } = { at: (...path: string[]) => body.at('package', ...path).text };
    const tag = at('package_version', 'container_metadata', 'tag', 'name');
    const isPush = body.at('action').text === 'published' && at('package_type').toLowerCase() === 'container';
    if (!isPush || !tag) return [];
    return [{ kind: 'registry', registry: 'ghcr.io', repository: `${at('owner', 'login')}/${at('name')}`, tag }];
  },
};

/** Harbor proves itself with the Authorization header that its webhook is configured with; without a secret it is not served. */
export const harbor: Sender = {
  name: 'harbor',
  claims: ({ header }, secrets) => Boolean(secrets.harbor) && sameSecret(header('authorization'), secrets.harbor ?? ''),
  isSecured: () => true,
  read(_request, body) {
    if (body.at('type').text !== 'PUSH_ARTIFACT') return [];
    return body.at('event_data', 'resources').items.flatMap((resource) => {
      const tag = resource.at('tag').text;
      const match = /^([^/]+)\/(.+?)(?:@sha256:[0-9a-f]+|:[^/:]+)?$/.exec(resource.at('resource_url').text);
      const [, registry, repository] = match ?? [];
      return registry && repository && tag ? [{ kind: 'registry' as const, registry, repository, tag }] : [];
    });
  },
};
