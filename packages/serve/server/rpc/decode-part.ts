import { invalidArgument } from './rpc-error.ts';

/** A part of a path, or a text in it, without its percent-encoding. Throws InvalidArgument where that is none. */
export function decodePart(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    throw invalidArgument(
      `"${text}" is not percent-encoded text: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}
