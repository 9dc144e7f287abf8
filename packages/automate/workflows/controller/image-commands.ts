import { MissingFact } from '../machine/index.ts';

type ImageCommand = { entrypoint?: string[]; cmd?: string[] };

/** A command that nobody knows; the message is what the node shows. */
class UnknownCommand extends Error {
  override name = 'OperationError';
}

/** Commands that images run by themselves, as their registries say; each image is asked for once. */
export class ImageCommands {
  readonly #known = new Map<string, ImageCommand | string>();
  readonly #look: ((image: string, signal: AbortSignal) => Promise<ImageCommand>) | undefined;

  constructor(look?: (image: string, signal: AbortSignal) => Promise<ImageCommand>) {
    this.#look = look;
  }

  /** Throws an error with the remedy if the command cannot be found out. */
  get(image: string): ImageCommand {
    const known = this.#known.get(image);
    if (known === undefined && this.#look) throw new MissingFact({ kind: 'image', image });
    if (known !== undefined && typeof known !== 'string') return known;
    throw new UnknownCommand(
      `failed to look-up entrypoint/cmd for image "${image}", you must either explicitly specify the command, or list the image's command in the index (images of workflow-controller-configmap)${known ? `: ${known}` : ''}`,
    );
  }

  async read(image: string, signal: AbortSignal): Promise<void> {
    try {
      this.#known.set(image, (await this.#look?.(image, signal)) ?? {});
    } catch (error) {
      if (signal.aborted) throw error;
      this.#known.set(image, (error as Error).message);
    }
  }
}
