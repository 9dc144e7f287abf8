import type { Clock } from '@tiphys/kubernetes';
import { type ImagePull, MissingFact } from '../../machine/index.ts';

type ImageCommand = { entrypoint?: string[]; cmd?: string[] };
type Look = (image: string, pull: ImagePull, signal: AbortSignal) => Promise<ImageCommand>;

/** Milliseconds after which a registry that did not tell is asked again. */
const failureAge = 30_000;

/** A command that nobody knows; the message is what the node shows. */
class UnknownCommand extends Error {
  override name = 'OperationError';
}

/** Commands that images run by themselves, as their registries say; each image is asked for once. */
export class ImageCommands {
  readonly #known = new Map<string, ImageCommand>();
  readonly #failed = new Map<string, { reason: string; until: number }>();
  readonly #clock: Clock;
  readonly #look: Look | undefined;

  constructor(clock: Clock, look?: Look) {
    this.#clock = clock;
    this.#look = look;
  }

  /** Throws an error with the remedy if the command cannot be found out, a `MissingFact` if it is to be looked up. */
  get(image: string, pull: ImagePull): ImageCommand {
    const known = this.#known.get(image);
    if (known) return known;
    const failed = this.#failed.get(keyOf(image, pull));
    if (this.#look && !(failed && failed.until > this.#clock.now()))
      throw new MissingFact({ kind: 'image', image, pull });
    throw new UnknownCommand(
      `failed to look-up entrypoint/cmd for image "${image}", you must either explicitly specify the command, or list the image's command in the index (images of workflow-controller-configmap)${failed ? `: ${failed.reason}` : ''}`,
    );
  }

  async read(image: string, pull: ImagePull, signal: AbortSignal): Promise<void> {
    const key = keyOf(image, pull);
    try {
      this.#known.set(image, (await this.#look?.(image, pull, signal)) ?? {});
      this.#failed.delete(key);
    } catch (error) {
      if (signal.aborted) throw error;
      for (const [each, { until }] of this.#failed) if (until <= this.#clock.now()) this.#failed.delete(each);
      this.#failed.set(key, { reason: (error as Error).message, until: this.#clock.now() + failureAge });
    }
  }
}

/** Who may not pull an image keeps nobody else from knowing what it runs. */
function keyOf(image: string, { namespace, serviceAccount, secrets }: ImagePull): string {
  return JSON.stringify([image, namespace, serviceAccount, secrets]);
}
