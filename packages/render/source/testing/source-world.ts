import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import type { ApplicationSource } from '@tiphys/api';
import { type Diagnosis, DiagnosisError } from '@tiphys/diagnosis';
import { GitRepositories } from '@tiphys/git';
import { type FileContent, TestRepository } from '@tiphys/git/testing';
import { Manifests, type ManifestsOptions } from '../manifests.ts';
import type { Rendered, RenderRequest } from '../request/rendered.ts';

/** What the tests of one file share: a folder, mirrors of git repositories in it, renderers. All ends with the file. */
export class SourceWorld {
  readonly folder = mkdtempSync(join(tmpdir(), 'tiphys-source-'));
  readonly git = new GitRepositories({ cacheDir: join(this.folder, 'git'), localRepositories: 'any' });
  /** The renderer that `render` asks. */
  readonly manifests: Manifests;
  readonly #renderers: Manifests[] = [];
  #repositories = 0;

  constructor(options: Omit<ManifestsOptions, 'git'> = {}) {
    this.manifests = this.manifestsOf(options);
    after(async () => {
      await Promise.all(this.#renderers.map((renderer) => renderer.close()));
      await this.git.close();
      rmSync(this.folder, { recursive: true, force: true });
    });
  }

  /** Another renderer over the same mirrors. */
  manifestsOf(options: Omit<ManifestsOptions, 'git'> = {}): Manifests {
    const manifests = new Manifests({ git: this.git, ...options });
    this.#renderers.push(manifests);
    return manifests;
  }

  /** A repository with these files committed; those that start with `#!` can be executed. */
  repositoryOf(files: Record<string, FileContent>): TestRepository {
    this.#repositories += 1;
    const repository = new TestRepository(join(this.folder, `r${this.#repositories}`));
    repository.commit(files);
    const programs = Object.keys(files).filter((path) => String(files[path]).startsWith('#!'));
    for (const program of programs) chmodSync(join(repository.path, program), 0o755);
    if (programs.length > 0) repository.commit({});
    return repository;
  }

  render(repository: TestRepository, source?: Partial<ApplicationSource>, more?: Partial<RenderRequest>) {
    return this.manifests.render(requestFor(repository, source, more));
  }
}

/** The application `argocd/shop` in `prod`, of folder `app` of the repository as it is now. */
export function requestFor(
  { path }: TestRepository,
  source: Partial<ApplicationSource> = {},
  more: Partial<RenderRequest> = {},
): RenderRequest {
  return {
    application: { name: 'shop', namespace: 'argocd', project: 'default' },
    source: { repoURL: path, path: 'app', ...source },
    repository: { url: path },
    destinationNamespace: 'prod',
    maxAge: 0,
    ...more,
  };
}

/** Why this was refused; fails when it was not. */
export async function diagnosisOf(rendering: Promise<unknown>): Promise<Diagnosis> {
  const error = await rendering.then(
    () => assert.fail('it rendered'),
    (caught: unknown) => caught,
  );
  assert.ok(error instanceof DiagnosisError, String(error));
  return error.diagnosis;
}

/** A ConfigMap's manifest; `rest` follows its name. */
export const configMap = (name: string, rest = ''): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n${rest}`;

export const namesOf = ({ objects }: Rendered) => objects.map(({ object }) => object.metadata.name);
