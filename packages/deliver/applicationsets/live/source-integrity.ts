import type { AppProject, SourceIntegrityGitPolicy } from '@tiphys/api';
import { type DiagnosisError, failure, type Place } from '@tiphys/diagnosis';
import type { VerifiedCommit } from '@tiphys/git';
import { compileGlob } from '@tiphys/glob';
import { commitNotTrusted } from '../diagnoses/diagnoses.ts';

/** What decides whether commits are trusted. */
export interface Trust {
  readonly enabled: boolean;
  /** Undefined for a project that is not known, or whose name is a template. */
  project(name: string): AppProject | undefined;
  /** Armored public keys of argocd-gpg-keys-cm. */
  keys(): readonly string[];
}

/**
 * The keys with which a project wants the commits of a repository signed; undefined if it does not. Upstream rules: `signatureKeys` are a
 * policy for every repository, unless there are policies; several policies for one repository trust nothing.
 */
export function gpgPolicy(
  project: AppProject | undefined,
  repoURL: string,
): { readonly keys: readonly string[] } | undefined {
  const legacy = (project?.spec.signatureKeys ?? []).map(({ keyID }) => keyID);
  const policies: readonly SourceIntegrityGitPolicy[] =
    project?.spec.sourceIntegrity?.git?.policies ??
    (legacy.length > 0 ? [{ repos: [{ url: '*' }], gpg: { mode: 'head', keys: legacy } }] : []);
  const found = policies.filter(({ repos = [] }) =>
    includes(
      repos.map(({ url }) => url),
      repoURL,
    ),
  );
  if (found.length > 1)
    throw untrusted(`multiple (${found.length}) git source integrity policies found for repo URL: ${repoURL}`, {
      object: `AppProject ${project?.metadata.name}`,
      field: 'spec.sourceIntegrity.git.policies',
    });
  const gpg = found[0]?.gpg;
  if (!gpg || gpg.mode === 'none') return undefined;
  if (gpg.mode === 'head') return { keys: gpg.keys ?? [] };
  throw untrusted(
    gpg.mode === 'strict'
      ? 'the GPG mode "strict", which verifies the whole history, is not supported for generators'
      : `unknown GPG mode "${gpg.mode}" configured for GIT source integrity`,
    { object: `AppProject ${project?.metadata.name}`, field: 'spec.sourceIntegrity.git.policies' },
  );
}

/** One pattern must match; one with `!` in front that matches excludes. */
function includes(patterns: readonly string[], repoURL: string): boolean {
  const excluded = patterns.some((pattern) => pattern.startsWith('!') && compileGlob(pattern.slice(1))(repoURL));
  return !excluded && patterns.some((pattern) => !pattern.startsWith('!') && compileGlob(pattern)(repoURL));
}

/** Why a commit is not trusted, in upstream's words; undefined if it is. */
export function signatureProblem(
  { result, keyId, author }: VerifiedCommit,
  commit: string,
  allowed: readonly string[],
): string | undefined {
  const permitted = allowed.some((key) => key.slice(-16).toUpperCase() === keyId);
  if (result === 'signed' && permitted) return undefined;
  const why = result === 'signed' ? 'signed with unallowed key' : result;
  return `Failed verifying revision ${commit} by '${author}': ${why} (key_id=${keyId})`;
}

export function untrusted(problem: string, place: Place): DiagnosisError {
  return failure(commitNotTrusted, {
    message: `rpc error: code = Unknown desc = GIT/GPG: ${problem}`,
    place,
    remedies: [
      'Sign the commit with a key that the project permits, and register its public key with argocd gpg add (ConfigMap argocd-gpg-keys-cm)',
      'Nothing was changed',
    ],
  });
}
