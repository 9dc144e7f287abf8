import { GuardedAgent, GuardedSecureAgent } from '@tiphys/outbound';
import { Client } from 'minio';
import type { KeyReader } from '../keys/key-reader.ts';
import type { S3Artifact } from '../spec/common.ts';

/** A client of an S3 server, with the credentials that the spec names. */
export async function s3Client(artifact: S3Artifact, keys: KeyReader): Promise<Client> {
  const { endpoint, insecure, region, accessKey, secretKey, caCertificate } = artifact;
  const url = new URL(endpoint.includes('://') ? endpoint : `http${insecure ? '' : 's'}://${endpoint}`);
  const ca = caCertificate ? await keys.secret(caCertificate) : undefined;
  return new Client({
    endPoint: url.hostname,
    ...(url.port ? { port: Number(url.port) } : {}),
    useSSL: !insecure,
    accessKey: accessKey ? await keys.secret(accessKey) : '',
    secretKey: secretKey ? await keys.secret(secretKey) : '',
    ...(region ? { region } : {}),
    transportAgent: insecure ? new GuardedAgent() : new GuardedSecureAgent(ca ? { ca } : {}),
  });
}
