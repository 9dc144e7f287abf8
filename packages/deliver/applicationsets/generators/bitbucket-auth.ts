import type { BasicAuthBitbucketServer, BearerTokenBitbucket, BearerTokenBitbucketCloud } from '@tiphys/api';
import type { GeneratorContext } from './generator.ts';
import { authorization } from './host-access.ts';
import { readSecretRef } from './secret-ref.ts';

interface BitbucketCredentials {
  readonly bearerToken?: BearerTokenBitbucket | BearerTokenBitbucketCloud;
  readonly basicAuth?: BasicAuthBitbucketServer;
}

/** Headers for Bitbucket: a bearer token, else a user with a password, else nobody. */
export async function bitbucketAuth(
  { bearerToken, basicAuth }: BitbucketCredentials,
  context: GeneratorContext,
  field: string,
): Promise<Record<string, string>> {
  if (bearerToken)
    return authorization({
      bearer: await readSecretRef(bearerToken.tokenRef, context, `${field}.bearerToken.tokenRef`),
    });
  if (!basicAuth) return {};
  const password = await readSecretRef(basicAuth.passwordRef, context, `${field}.basicAuth.passwordRef`);
  return authorization({ user: basicAuth.username, password });
}

/** The same with what a Bitbucket server wants to see, so that it does not take the request for a forged one. */
export async function bitbucketServerAuth(
  credentials: BitbucketCredentials,
  context: GeneratorContext,
  field: string,
): Promise<Record<string, string>> {
  return {
    'x-atlassian-token': 'no-check',
    'x-requested-with': 'XMLHttpRequest',
    ...(await bitbucketAuth(credentials, context, field)),
  };
}
