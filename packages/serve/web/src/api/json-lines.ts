import { t } from '../i18n/texts.ts';
import { diagnosesOf, messageOf, RequestError } from './client.ts';

/** What a stream sends: an item, or at its end why it ended. */
interface Sent<T> {
  readonly result?: T;
  readonly error?: { readonly http_code?: number; readonly message?: string };
}

/**
 * Reads a stream of server-sent events, or of JSON lines, to its end. Items that came together are given together: a browser's own
 * events, one for each, take longer than what is done with them. Throws the refusal of the server, also one in the middle.
 */
export async function readJsonLines<T>(
  url: string,
  signal: AbortSignal,
  take: (items: readonly T[]) => void,
  opened: () => void = () => undefined,
): Promise<void> {
  // as events the answer begins at once, though there may be nothing to tell for hours
  const response = await fetch(url, { credentials: 'same-origin', signal, headers: { accept: 'text/event-stream' } });
  if (!response.ok || !response.body) {
    const text = await response.text();
    const words = messageOf(text) ?? t('The server answered with status {status}.', { status: response.status });
    throw new RequestError(response.status, words, diagnosesOf(text));
  }
  opened();
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    const parts = (rest + (value ?? '')).split('\n');
    rest = done ? '' : (parts.pop() ?? '');
    const items: T[] = [];
    const refused = parse(parts, items);
    if (items.length > 0) take(items);
    if (refused) throw refused;
    if (done) return;
  }
}

/** Puts the items of the lines into `items`, as far as the server did not refuse; gives that refusal. */
function parse<T>(lines: readonly string[], items: T[]): RequestError | undefined {
  for (const line of lines) {
    const json = line.replace(/^data: /, '');
    if (!json.startsWith('{')) continue;
    const { result, error } = JSON.parse(json) as Sent<T>;
    if (error) return new RequestError(error.http_code ?? 500, error.message ?? '');
    if (result) items.push(result);
  }
  return undefined;
}
