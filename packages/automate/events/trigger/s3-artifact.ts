import type { KeyReader } from '../keys/key-reader.ts';
import type { S3Artifact } from '../spec/common.ts';
import { s3Client } from '../wire/s3.ts';
import { ActionError } from './trigger.ts';

const longest = 4 * 1024 * 1024;

/** The text of an object of a bucket. */
export async function readS3Object(artifact: S3Artifact, keys: KeyReader): Promise<string> {
  const client = await s3Client(artifact, keys);
  const stream = await client.getObject(artifact.bucket.name, artifact.bucket.key ?? '');
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > longest) throw new ActionError(`the object ${artifact.bucket.key} is longer than ${longest} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
