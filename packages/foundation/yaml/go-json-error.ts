const wordings: readonly (readonly [RegExp, string])[] = [
  [/property name/, 'looking for beginning of object key string'],
  [/after property name/, 'after object key'],
  [/after property value/, 'after object key:value pair'],
  [/after array element/, 'after array element'],
  [/after JSON/, 'after top-level value'],
  [/control character/, 'in string literal'],
  [/escape/, 'in string escape code'],
];

/** What encoding/json says of a text that is no JSON, from what `JSON.parse` says of it. */
export function goJsonError(text: string, { message }: Error): string {
  const position = /at position (\d+)/.exec(message)?.[1];
  const char = position === undefined ? /token '(.)'/su.exec(message)?.[1] : text[Number(position)];
  const ended = char === undefined || /Unterminated|end of JSON/.test(message);
  const literal = inLiteral(
    ended ? text : text.slice(0, position === undefined ? text.indexOf(char) : Number(position)),
  );
  if (literal) return `invalid character '${ended ? ' ' : quoted(char)}' in literal ${literal}`;
  if (ended) return 'unexpected end of JSON input';
  const where =
    /':' after property name/.test(message) && !/Expected property/.test(message)
      ? 'after object key'
      : (wordings.find(([form]) => form.test(message))?.[1] ?? 'looking for beginning of value');
  return `invalid character '${quoted(char)}' ${where}`;
}

/** The literal that a text breaks off in, and how it should go on. */
function inLiteral(before: string): string | undefined {
  const begun = /(?:^|[\s,:[])([a-z]+)$/.exec(before)?.[1] ?? '';
  const literal = begun && ['true', 'false', 'null'].find((word) => word !== begun && word.startsWith(begun));
  return literal ? `${literal} (expecting '${literal[begun.length]}')` : undefined;
}

const named: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t', '\\': '\\\\', "'": "\\'" };

function quoted(char: string): string {
  const code = char.codePointAt(0) ?? 0;
  return named[char] ?? (code < 0x20 || code === 0x7f ? `\\x${code.toString(16).padStart(2, '0')}` : char);
}
