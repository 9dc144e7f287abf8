import type { AwsCredentials } from './sigv4.ts';

/**
 * Credentials as AWS' own tools find them: environment, shared files, web identity, container, instance. A role is assumed with
 * them. The heavy client is loaded when it is asked.
 */
export async function awsCredentials(wanted: {
  profile?: string;
  roleArn?: string;
  region?: string;
}): Promise<AwsCredentials> {
  const { fromNodeProviderChain, fromTemporaryCredentials } = await import('@aws-sdk/credential-providers');
  const master = fromNodeProviderChain(wanted.profile ? { profile: wanted.profile } : {});
  if (!wanted.roleArn) return master();
  const clientConfig = wanted.region ? { region: wanted.region } : {};
  return fromTemporaryCredentials({ masterCredentials: master, params: { RoleArn: wanted.roleArn }, clientConfig })();
}
