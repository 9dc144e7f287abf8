import { join } from 'node:path';
import type { Container } from '@tiphys/kube-controllers';

/**
 * Where the paths of a container are on this machine. A process sees the machine's own files; of the paths that the
 * container mounts, `/etc/app` is at `ROOT/etc/app`, and texts that name it are rewritten.
 */
export class MountPaths {
  readonly root: string;
  readonly #pattern: RegExp | undefined;

  constructor(root: string, container: Container) {
    this.root = root;
    const paths = (container.volumeMounts ?? [])
      .map(({ mountPath }) => mountPath.replace(/(?<!\/)\/+$/, ''))
      .filter(Boolean)
      .sort((a, b) => b.length - a.length);
    const alternatives = paths.map((path) => path.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|');
    if (paths.length > 0) this.#pattern = new RegExp(`(^|[^\\w./-])(${alternatives})(?=$|[^\\w.-])`, 'g');
  }

  /** A text of the container (argument, value of a variable, command of a probe) as the process can use it. */
  map(text: string): string {
    return this.#pattern
      ? text.replace(this.#pattern, (_, before: string, path: string) => before + join(this.root, path))
      : text;
  }

  /** A path of the container on this machine, whether it is mounted or not. */
  inside(path: string): string {
    return join(this.root, path);
  }

  isMounted(path: string): boolean {
    return this.map(path) !== path;
  }
}
