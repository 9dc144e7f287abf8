import { compactJson } from '../json/compact.ts';
import { goJson, goMapJson } from '../json/go-json.ts';
import { parseNode } from '../json/node.ts';

/** JSON that is written as it is. */
export class RawJson {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** The data of an event: fields in their order, undefined ones left out, and the metadata of the spec if there is any. */
export function eventData(
  fields: Readonly<Record<string, unknown>>,
  metadata: Readonly<Record<string, string>> | undefined,
): string {
  const parts = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [`${JSON.stringify(name)}:${value instanceof RawJson ? value.text : goJson(value)}`],
  );
  if (metadata && Object.keys(metadata).length > 0) parts.push(`"metadata":${goMapJson(metadata)}`);
  return `{${parts.join(',')}}`;
}

/** A body as `jsonBody` wants it: JSON as it is, or base64. Throws `JsonSyntaxError` if it is to be JSON and is none. */
export function bodyOf(bytes: Uint8Array, jsonBody: boolean | undefined): unknown {
  const buffer = Buffer.from(bytes);
  return jsonBody ? new RawJson(compactJson(parseNode(buffer.toString('utf8')))) : buffer.toString('base64');
}

export type Metadata = Readonly<Record<string, string>> | undefined;
