import { GuardedAgent, GuardedSecureAgent } from '@tiphys/outbound';
import type { KeyReader } from '../keys/key-reader.ts';
import type { KeySelector } from '../spec/common.ts';

export interface AwsAccess {
  readonly region: string;
  readonly accessKey?: KeySelector | undefined;
  readonly secretKey?: KeySelector | undefined;
  readonly sessionToken?: KeySelector | undefined;
  readonly roleARN?: string | undefined;
  readonly endpoint?: string | undefined;
}

/** The configuration of a client of AWS: the keys of the spec, a role that is assumed, or what the environment has. */
export async function awsConfig(access: AwsAccess, keys: KeyReader) {
  const { region, accessKey, secretKey, sessionToken, roleARN, endpoint } = access;
  const given =
    accessKey && secretKey
      ? {
          accessKeyId: (await keys.secret(accessKey)).trim(),
          secretAccessKey: (await keys.secret(secretKey)).trim(),
          ...(sessionToken ? { sessionToken: (await keys.secret(sessionToken)).trim() } : {}),
        }
      : undefined;
  const requestHandler = { httpAgent: new GuardedAgent(), httpsAgent: new GuardedSecureAgent() };
  const base = { region, requestHandler, ...(endpoint ? { endpoint } : {}), ...(given ? { credentials: given } : {}) };
  if (!roleARN) return base;
  const { AssumeRoleCommand, STSClient } = await import('@aws-sdk/client-sts');
  const credentials = async () => {
    const client = new STSClient(base);
    try {
      const { Credentials } = await client.send(
        new AssumeRoleCommand({ RoleArn: roleARN, RoleSessionName: 'tiphys-events' }),
      );
      return {
        accessKeyId: Credentials?.AccessKeyId ?? '',
        secretAccessKey: Credentials?.SecretAccessKey ?? '',
        ...(Credentials?.SessionToken ? { sessionToken: Credentials.SessionToken } : {}),
        ...(Credentials?.Expiration ? { expiration: Credentials.Expiration } : {}),
      };
    } finally {
      client.destroy();
    }
  };
  return { ...base, credentials };
}
