import { failure } from '@tiphys/diagnosis';
import type { Clock } from '@tiphys/kubernetes';
import { type Access, type HttpAnswer, HttpClient, withoutSecrets } from '@tiphys/registry';
import { decodeText } from '../request/decode-text.ts';
import { remoteFileRefused } from '../request/diagnoses.ts';
import type { AskOptions } from './chart-source.ts';

interface Kept {
  readonly answer: Promise<HttpAnswer>;
  readonly at: number;
}

type Network = Pick<Access, 'proxy' | 'noProxy'>;

const defaultAge = 30_000;
const keptFiles = 50;
const maxTextBytes = 5 << 20;

/** Files at http(s) addresses: values files and schemas that charts refer to, resources of kustomizations. No credentials are ever sent. */
export class RemoteFiles {
  readonly #http: HttpClient;
  readonly #clock: Clock;
  readonly #kept = new Map<string, Kept>();

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#http = new HttpClient({ clock, timeout: 20_000, attempts: 2, userAgent: 'tiphys (renderer; values)' });
  }

  /** The text, at most `maxAge` old. `access` says how the network is passed, and nothing of who asks. */
  async text(url: string, access: Network, options: AskOptions): Promise<string> {
    const shown = withoutSecrets(url);
    const answer = await this.answer(url, access, { ...options, maxBytes: maxTextBytes });
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

  /** The answer whatever its status, at most `maxAge` old. */
  answer(url: string, access: Network, options: AskOptions & { readonly maxBytes: number }): Promise<HttpAnswer> {
    const now = this.#clock.now();
    const known = this.#kept.get(url);
    if (known && now - known.at < (options.maxAge ?? defaultAge)) return known.answer;
    const answer = this.#fetch(url, access, options);
    const kept = { answer, at: now };
    const forget = () => this.#kept.get(url) === kept && this.#kept.delete(url);
    answer.then(({ status }) => status !== 200 && forget(), forget);
    this.#kept.delete(url);
    this.#kept.set(url, kept);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > keptFiles && oldest !== undefined) this.#kept.delete(oldest);
    return answer;
  }

  async #fetch(
    url: string,
    { proxy, noProxy }: Network,
    { signal, maxBytes }: AskOptions & { readonly maxBytes: number },
  ): Promise<HttpAnswer> {
    const shown = withoutSecrets(url);
    refuseMetadata(url, shown);
    const access = { ...(proxy ? { proxy } : {}), ...(noProxy ? { noProxy } : {}) };
    const answer = await this.#http.send({ url, access, maxBytes, signal });
    refuseMetadata(answer.url, shown);
    return answer;
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
