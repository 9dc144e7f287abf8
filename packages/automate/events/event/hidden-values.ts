/** Names of fields whose values nobody may see where it is told what became of an event. */
const secretName =
  /pass(?:word|wd|phrase)?$|secret|token|credential|authorization|cookie|signature|(?:api|access|private)[-_]?key/i;

/** How a name ends in JSON that only counts at its end. */
const quotedEnd = /pass(?:word|wd|phrase)?"/i;
/** What stands in place of a value. */
export const hidden = '++++++++';

/** Shorter values would be found in the middle of other words. */
const shortest = 4;

/** Whether a path such as `body.password` or `header.Authorization` leads to what nobody may see. */
export function isSecretPath(path: string): boolean {
  return path.split(/[.|]/).some((name) => secretName.test(name));
}

/**
 * A text about events, without the values that their payloads have below names such as `password` or `Authorization`, as they are, as JSON
 * has them, and in base64. Payloads that are no JSON have no names; of those the text shows what it shows.
 */
export function withoutSecrets(text: string, payloads: Iterable<string | undefined>): string {
  const values = new Set<string>();
  for (const payload of payloads)
    if (payload !== undefined && mayHide(payload)) collect(parsed(payload), false, values);
  if (values.size === 0) return text;
  let shown = text;
  for (const value of [...values].sort((a, b) => b.length - a.length))
    for (const form of new Set([value, JSON.stringify(value).slice(1, -1), Buffer.from(value).toString('base64')]))
      shown = shown.replaceAll(form, hidden);
  return shown;
}

/** Whether JSON may have such a name: as it is, or behind an escape. */
function mayHide(payload: string): boolean {
  return payload.includes('\\') || secretName.test(payload) || quotedEnd.test(payload);
}

function parsed(payload: string): unknown {
  try {
    return JSON.parse(payload);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Gathers texts and numbers at or below a field with such a name. */
function collect(value: unknown, isSecret: boolean, into: Set<string>): void {
  const waiting: [unknown, boolean][] = [[value, isSecret]];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const [found, below] = next;
    if (typeof found === 'object' && found !== null)
      for (const [name, child] of Object.entries(found)) waiting.push([child, below || secretName.test(name)]);
    else if (below && (typeof found === 'string' || typeof found === 'number')) add(String(found), into);
  }
}

function add(value: string, into: Set<string>): void {
  if (value.length < shortest) return;
  into.add(value);
  // `Bearer …` and `Basic …`: what follows is what is secret
  const [, word = ''] = /^(?:bearer|basic|token)\s+(\S.*)$/i.exec(value) ?? [];
  if (word.length >= shortest) into.add(word);
}
