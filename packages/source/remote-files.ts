import { failure } from '@tiphys/diagnosis';
import type { Clock } from '@tiphys/kubernetes';
import { type Access, HttpClient, withoutSecrets } from '@tiphys/registry';
import type { AskOptions } from './chart-source.ts';
import { decodeText } from './decode-text.ts';
import { remoteFileRefused } from './diagnoses.ts';

interface Kept {
  readonly text: Promise<string>;
  readonly at: number;
}

const defaultAge = 30_000;
const keptFiles = 50;
const maxBytes = 5 << 20;

/** Texts at http(s) addresses: values files and schemas that charts refer to. No credentials are ever sent. */
export class RemoteFiles {
  readonly #http: HttpClient;
  readonly #clock: Clock;
  readonly #kept = new Map<string, Kept>();

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#http = new HttpClient({ clock, timeout: 20_000, attempts: 2, userAgent: 'tiphys (renderer; values)' });
  }

  /** The text, at most `maxAge` old. `access` says how the network is passed, and nothing of who asks. */
  text(url: string, access: Pick<Access, 'proxy' | 'noProxy'>, options: AskOptions): Promise<string> {
    const now = this.#clock.now();
    const known = this.#kept.get(url);
    if (known && now - known.at < (options.maxAge ?? defaultAge)) return known.text;
    const text = this.#fetch(url, access, options.signal);
    const kept = { text, at: now };
    text.catch(() => this.#kept.get(url) === kept && this.#kept.delete(url));
    this.#kept.delete(url);
    this.#kept.set(url, kept);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > keptFiles && oldest !== undefined) this.#kept.delete(oldest);
    return text;
  }

  async #fetch(url: string, { proxy, noProxy }: Pick<Access, 'proxy' | 'noProxy'>, signal: AbortSignal | undefined) {
    const shown = withoutSecrets(url);
    refuseMetadata(url, shown);
    const access = { ...(proxy ? { proxy } : {}), ...(noProxy ? { noProxy } : {}) };
    const answer = await this.#http.send({ url, access, maxBytes, signal });
    refuseMetadata(answer.url, shown);
    if (answer.status === 200) return decodeText(answer.body, shown);
    throw failure(
      remoteFileRefused,
      {
        message: `failed to fetch ${shown} : ${answer.statusText}`,
        place: { remote: shown },
        remedies: ['Correct the URL, or keep the file in the repository'],
      },
      { handling: 'retryable' },
    );
  }
}

/** The credentials of the machine are for nobody's chart (link-local addresses, under which clouds give them out). */
function refuseMetadata(url: string, shown: string): void {
  const host = URL.canParse(url) ? new URL(url).hostname : '';
  if (
    host !== '' &&
    !/^169\.254\.|^\[fe[89ab]|^\[fd00:ec2::254\]$|^\[::ffff:a9fe:|^metadata\.google\.internal\.?$/.test(host)
  )
    return;
  throw failure(remoteFileRefused, {
    message: `${shown} is refused: link-local addresses give out credentials of this machine`,
    place: { remote: shown },
    remedies: ['Keep the file in the repository'],
  });
}
