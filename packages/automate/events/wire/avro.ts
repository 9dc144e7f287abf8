import avsc from 'avsc';
import type { KeyReader } from '../keys/key-reader.ts';
import type { SchemaRegistry } from '../spec/common.ts';
import { sendRequest } from './http-request.ts';

const timeout = 30_000;

/** The schema of a registry: what turns JSON into the registry's wire format and back. */
export interface AvroSchema {
  encode(value: unknown): Buffer;
  decode(bytes: Buffer): unknown;
}

/** Reads a schema by its id. */
export async function avroSchema(registry: SchemaRegistry, keys: KeyReader): Promise<AvroSchema> {
  const { url, schemaId, auth } = registry;
  const user = auth?.username ? await keys.secret(auth.username) : '';
  const password = auth?.password ? await keys.secret(auth.password) : '';
  const headers: [string, string][] = auth?.username
    ? [['Authorization', `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`]]
    : [];
  const address = `${url.replace(/\/$/, '')}/schemas/ids/${schemaId}`;
  const { status, body } = await sendRequest({
    url: address,
    method: 'GET',
    headers,
    timeout,
    signal: AbortSignal.timeout(timeout),
  });
  if (status !== 200) throw new Error(`the schema registry answered ${status} for schema ${schemaId}`);
  const type = avsc.Type.forSchema(JSON.parse((JSON.parse(body) as { schema: string }).schema) as never);
  return {
    encode(value) {
      const head = Buffer.alloc(5);
      head.writeInt32BE(schemaId, 1);
      return Buffer.concat([head, type.toBuffer(type.fromString(JSON.stringify(value)))]);
    },
    decode: (bytes) => JSON.parse(type.toString(type.fromBuffer(bytes.subarray(5)))) as unknown,
  };
}
