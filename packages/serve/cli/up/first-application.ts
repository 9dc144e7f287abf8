import { existsSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import type { Application } from '@tiphys/api';
import type { UpOptions } from './up-options.ts';

const checkout = join(import.meta.dirname, '..', '..', '..', '..');

/** Examples that can be delivered, with their namespaces. */
const examples: ReadonlyMap<string, string> = new Map([
  ['guestbook', 'guestbook'],
  ['remediation', 'argo-events'],
  ['rollouts', 'rollouts'],
]);

export const exampleNames: readonly string[] = [...examples.keys()];

/** An example of this checkout, delivered from the checkout's own repository. */
export function exampleApplication(name: string): Application {
  const source = { repoURL: checkout, path: `examples/${name}`, targetRevision: 'HEAD' };
  return application(name, source, examples.get(name));
}

/** An application for the repository that the user named; a path is made absolute, a URL stays. */
export function userApplication(options: UpOptions, workdir: string): Application {
  const given = options.repo ?? '';
  const local = resolve(workdir, given);
  const repoURL = !given.includes('://') && existsSync(local) ? local : given;
  const name = basename(given.replace(/(?<!\/)\/+$/, ''))
    .replace(/\.git$/, '')
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-')
    .replace(/^-+|(?<!-)-+$/g, '');
  return application(name || 'application', {
    repoURL,
    path: options.path ?? '.',
    targetRevision: options.revision ?? 'HEAD',
  });
}

/** Folders whose repositories may be read: the named ones, that of `--repo`, and on the sandbox the example's. */
export function localFolders(options: UpOptions, workdir: string): string[] {
  const named = options.localRepositories.map((dir) => resolve(workdir, dir));
  const given = options.repo && existsSync(resolve(workdir, options.repo)) ? [resolve(workdir, options.repo)] : [];
  return [...named, ...given, ...(options.kubeconfig || options.role ? [] : [checkout])];
}

function application(
  name: string,
  source: { repoURL: string; path: string; targetRevision: string },
  namespace = name,
): Application {
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name, finalizers: ['resources-finalizer.argocd.argoproj.io'] },
    spec: {
      project: 'default',
      source,
      destination: { server: 'https://kubernetes.default.svc', namespace },
      syncPolicy: { automated: { prune: true, selfHeal: true }, syncOptions: ['CreateNamespace=true'] },
    },
  };
}
