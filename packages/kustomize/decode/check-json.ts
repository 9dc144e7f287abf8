import { GoError } from '../go-error.ts';

const wordings: readonly (readonly [RegExp, string])[] = [
  [/property name/, 'looking for beginning of object key string'],
  [/after property name/, 'after object key'],
  [/after property value/, 'after object key:value pair'],
  [/after array element/, 'after array element'],
  [/after JSON/, 'after top-level value'],
  [/control character/, 'in string literal'],
  [/escape/, 'in string escape code'],
];

/** Throws GoError in the words of encoding/json for a text that is no JSON. */
export function checkJson(text: string): void {
  try {
    JSON.parse(text);
  } catch (error) {
    const { message } = error as SyntaxError;
    const position = /at position (\d+)/.exec(message)?.[1];
    const char = position === undefined ? /token '(.)'/su.exec(message)?.[1] : text[Number(position)];
    if (char === undefined || /Unterminated|end of JSON/.test(message))
      throw new GoError('unexpected end of JSON input', { cause: error });
    const where =
      /':' after property name/.test(message) && !/Expected property/.test(message)
        ? 'after object key'
        : (wordings.find(([form]) => form.test(message))?.[1] ?? 'looking for beginning of value');
    throw new GoError(`invalid character '${char}' ${where}`, { cause: error });
  }
}
