/** Takes a flag that may be given several times. */
export const collect = (value: string, before: readonly string[] = []): string[] => [...before, value];

/** Takes a flag whose values are parted by commas, and that may be given several times. */
export const collectList = (value: string, before: readonly string[] = []): string[] => [
  ...before,
  ...value.split(',').filter((item) => item !== ''),
];

/** `name=value`; the value is empty without `=`. */
export function pair(text: string): [name: string, value: string] {
  const at = text.indexOf('=');
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}
