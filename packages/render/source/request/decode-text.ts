import { failure } from '@tiphys/diagnosis';
import { manifestInvalid } from './diagnoses.ts';
import { excerpt } from './yaml-documents.ts';

/** Text of a file: UTF-8, or UTF-16 with a byte order mark. Throws M9 with the place of the first byte that is neither. */
export function decodeText(bytes: Uint8Array, file: string): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes.subarray(2));
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes.subarray(2));
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    const { line, column, byte } = firstBadByte(bytes);
    throw failure(
      manifestInvalid,
      {
        message: `The file is not UTF-8: byte 0x${byte.toString(16).padStart(2, '0')} is not part of a character`,
        place: { file, line, column },
        evidence: { text: excerpt(new TextDecoder('utf-8').decode(bytes), line) },
        remedies: ['Save the file as UTF-8, or leave it out with directory.exclude'],
      },
      { cause: error },
    );
  }
}

function firstBadByte(bytes: Uint8Array): { line: number; column: number; byte: number } {
  const good = new TextDecoder('utf-8').decode(bytes).indexOf('\ufffd');
  const before = new TextDecoder('utf-8').decode(bytes).slice(0, Math.max(0, good));
  const lines = before.split('\n');
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1, byte: bytes[Buffer.byteLength(before)] ?? 0 };
}
