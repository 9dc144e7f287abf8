import { join } from 'node:path';

/** Where the containers of a pod meet, as Argo Workflows' executor has it; below `root` where no container runtime mounts anything. */
export interface Folders {
  /** Empty in a container. */
  readonly root: string;
  /** What the containers tell each other. */
  readonly run: string;
  /** Input artifacts, each by its name. */
  readonly inputs: string;
  /** The volumes of the user's containers, as `wait` sees them. */
  readonly mirror: string;
  readonly script: string;
  readonly secrets: string;
  /** What was too large for an environment. */
  readonly config: string;
  readonly temporary: string;
  /** Sockets of artifact plugins, each in a folder of its name. */
  readonly plugins: string;
}

export function foldersBelow(root: string): Folders {
  const at = (path: string) => (root ? join(root, path) : path);
  return {
    root,
    run: at('/var/run/argo'),
    inputs: at('/argo/inputs/artifacts'),
    mirror: at('/mainctrfs'),
    script: at('/argo/staging/script'),
    secrets: at('/argo/secret'),
    config: at('/argo/config'),
    temporary: at('/tmp/argo/outputs'),
    plugins: at('/tmp/artifact-plugins'),
  };
}

/** The folder of one container below the run folder. */
export function containerFolder({ run }: Folders, name: string): string {
  return join(run, 'ctr', name);
}
