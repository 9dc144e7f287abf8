import { type DiagnosisError, failure } from '@tiphys/diagnosis';
import { type GitRepositories, type GitTree, normalizePath, type PathEntry, parseRepositoryUrl } from '@tiphys/git';
import { pathInvalid, pathMissing } from './diagnoses.ts';
import type { RenderRequest } from './rendered.ts';

/** The folder that `spec.source.path` names, links followed. Throws R10 if it is gone. */
export async function sourceFolder(git: GitRepositories, request: RenderRequest, tree: GitTree): Promise<PathEntry> {
  const path = request.source.path ?? '';
  const place = {
    field: 'spec.source.path',
    remote: parseRepositoryUrl(request.repository.url).display,
    revision: tree.commit,
  };
  if (path.startsWith('/'))
    throw failure(pathInvalid, {
      message: `The path "${path}" is absolute`,
      place,
      remedies: [
        { text: 'Write it from the root of the repository', paste: `path: ${path.replace(/^\/+/, '') || '.'}` },
      ],
    });
  const normal = normalizePath(path);
  if (normal === undefined)
    throw failure(pathInvalid, {
      message: `The path "${path}" leads out of the repository`,
      place,
      remedies: ['Use a path inside the repository'],
    });
  const folder = await tree.resolve(normal);
  if (folder?.kind === 'folder') return folder;
  const submodule = await submoduleOf(tree, normal);
  if (submodule !== undefined)
    throw failure(pathMissing, {
      message: `${path}: app path does not exist: it lies in the submodule ${submodule}, and submodules are switched off`,
      place,
      remedies: [
        { text: 'Switch them on in argocd-cmd-params-cm', paste: 'reposerver.enable.git.submodule: "true"' },
        "Or use the submodule's own repository as repoURL",
      ],
    });
  if (folder)
    throw failure(pathInvalid, {
      message: `The path "${path}" is a ${folder.kind}, not a folder`,
      place,
      remedies: ['Set path to its folder, and choose the file with directory.include'],
    });
  throw await missingPath(git, request, tree, normal, place);
}

/** R10: which commit took the path away, who, and where its files went. */
async function missingPath(
  git: GitRepositories,
  request: RenderRequest,
  tree: GitTree,
  path: string,
  place: { field: string; remote: string; revision: string },
): Promise<DiagnosisError> {
  const removal = await git.removalOf(
    request.repository,
    tree.commit,
    path,
    request.signal ? { signal: request.signal } : {},
  );
  const parent = path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '';
  const siblings: string[] = [];
  for await (const entry of tree.list(parent)) {
    if (entry.kind === 'folder') siblings.push(entry.path);
  }
  const otherCase = siblings.find((sibling) => sibling.toLowerCase() === path.toLowerCase());
  return failure(pathMissing, {
    message: removal
      ? `${path}: app path does not exist: it was removed by commit ${removal.commit.slice(0, 7)} of ${removal.author}`
      : `${path}: app path does not exist in the repository`,
    place,
    evidence: {
      commit: removal?.commit,
      author: removal?.author,
      date: removal?.date,
      subject: removal?.subject,
      'moved to': removal?.movedTo,
      'folders beside it': siblings.slice(0, 20).join(', ') || 'none',
    },
    remedies: [
      removal?.movedTo === undefined
        ? otherCase === undefined
          ? 'Set path to an existing folder, or restore it'
          : { text: 'Write capitals and small letters as the folder has them', paste: `path: ${otherCase}` }
        : { text: 'Follow it to its new place', paste: `path: ${removal.movedTo || '.'}` },
    ],
  });
}

/** The submodule in which a path lies, if it lies in one. */
async function submoduleOf(tree: GitTree, path: string): Promise<string | undefined> {
  for (let end = path.indexOf('/'); ; end = path.indexOf('/', end + 1)) {
    const part = end < 0 ? path : path.slice(0, end);
    if ((await tree.entry(part))?.kind === 'submodule') return part;
    if (end < 0) return undefined;
  }
}
