import { createHash } from 'node:crypto';
import type { Application, ApplicationSource, AppProject, SourceIntegrityGitPolicy } from '@tiphys/api';
import { type Diagnosis, defineDiagnosis, diagnose, diagnosisOf, failure } from '@tiphys/diagnosis';
import { type GitRepositories, isCommitSha, type RevisionSignature, type TrustedKeys } from '@tiphys/git';
import type { Manifests } from '@tiphys/source';
import { hasSources, isGitSource } from '../spec/source-of.ts';
import { chartPolicies, isPublished, proofOf } from './chart-integrity.ts';
import type { SourceRender } from './render-history.ts';
import { includesRepository } from './repository-patterns.ts';
import type { SourceAccess } from './source-access.ts';

export const commitNotTrusted = defineDiagnosis(
  'CommitNotTrusted',
  'A project wants commits signed by known keys, and this one is not',
  'R14',
);

/** How the commits of a repository have to be signed. */
export interface IntegrityPolicy {
  /** `head`: the revision itself; `strict`: its whole history, back to signed commits that seal it. */
  readonly mode: 'head' | 'strict';
  /** Ids of keys: 16 or 40 hexadecimal digits of OpenPGP, `SHA256:…` of SSH. */
  readonly keys: readonly string[];
}

/** Where the policies are, for the places of diagnoses. */
const policyField = 'spec.sourceIntegrity.git.policies';

/**
 * How a project wants the commits of a repository signed; undefined if it does not. Upstream rules: `signatureKeys` are a policy for
 * every repository, unless there are policies; several policies for one repository trust nothing, which is thrown.
 */
export function integrityPolicy(project: AppProject | undefined, repoURL: string): IntegrityPolicy | undefined {
  const legacy = (project?.spec.signatureKeys ?? []).map(({ keyID }) => keyID);
  const policies: readonly SourceIntegrityGitPolicy[] =
    project?.spec.sourceIntegrity?.git?.policies ??
    (legacy.length > 0 ? [{ repos: [{ url: '*' }], gpg: { mode: 'head', keys: legacy } }] : []);
  const found = policies.filter(({ repos = [] }) =>
    includesRepository(
      repos.map(({ url }) => url),
      repoURL,
    ),
  );
  const place = { object: `AppProject ${project?.metadata.name}`, field: policyField };
  if (found.length > 1)
    throw failure(commitNotTrusted, {
      message: `multiple (${found.length}) git source integrity policies found for repo URL: ${repoURL}`,
      place,
      remedies: ['Let one policy alone match the repository: exclude it from the others by a pattern with ! in front'],
    });
  const gpg = found[0]?.gpg;
  if (!gpg || gpg.mode === 'none') return undefined;
  if (gpg.mode === 'head' || gpg.mode === 'strict') return { mode: gpg.mode, keys: gpg.keys ?? [] };
  throw failure(commitNotTrusted, {
    message: `unknown GPG mode "${gpg.mode}" configured for GIT source integrity`,
    place,
    remedies: ['Use none, head or strict'],
  });
}

/** Why a revision is not trusted, in upstream's words; undefined if it is. */
export function signatureProblem(
  { revision, result, keyId, author }: RevisionSignature,
  allowed: readonly string[],
): string | undefined {
  const permitted = allowed.some(
    (key) => key === keyId || (!key.includes(':') && key.slice(-16).toUpperCase() === keyId),
  );
  if (result === 'signed' && permitted) return undefined;
  const why = result === 'signed' ? 'signed with unallowed key' : result;
  return `Failed verifying revision ${revision} by '${author}': ${why} (key_id=${keyId})`;
}

/** What is known of the signature of a commit. */
export interface SignatureAccount {
  /** One sentence in upstream's form; empty for a commit without a signature of which none is wanted. */
  readonly info: string;
  /** Why its project does not trust it, empty if it does; absent where the project wants no signatures of the repository. */
  readonly problems?: readonly string[];
}

/** Upstream's form: `Good signature from … key ID`. */
function signatureInfo({ result, keyId }: Pick<RevisionSignature, 'result' | 'keyId'>): string {
  if (result === 'unsigned') return 'Revision is not signed.';
  const kind = keyId.startsWith('SHA256:') ? 'SSH' : 'OpenPGP';
  const of = keyId ? ` from ${kind} key ${keyId}` : '';
  if (result === 'signed') return `Good signature${of}`;
  if (result === 'bad signature') return `Bad signature${of}`;
  const why = result.replace(/^signed with /, '').replace('key not in keyring', 'the key is not known here');
  return `Unverified signature${of}: ${why}`;
}

const mostProblems = 10;
const kept = 2_000;

export interface SourceIntegrityParts {
  readonly git: GitRepositories;
  readonly access: SourceAccess;
  readonly keys: () => TrustedKeys;
  readonly manifests: Pick<Manifests, 'published'>;
  /** False switches all verification off, as ARGOCD_GPG_ENABLED does. */
  readonly enabled: boolean;
}

/** What a source was rendered from: a commit, or a version whose content is known by its digest. */
export type RenderedSource = Pick<SourceRender, 'revision' | 'content'>;

/** Whether a project wants one of the sources signed. */
export function wantsSignatures(project: AppProject, sources: readonly ApplicationSource[]): boolean {
  return sources.some((source) =>
    isPublished(source)
      ? chartPolicies(project, source.repoURL).length > 0
      : isGitSource(source) && integrityPolicy(project, source.repoURL) !== undefined,
  );
}

/** Proves that what is rendered was signed as its project wants it. */
export class SourceIntegrity {
  readonly #parts: SourceIntegrityParts;
  /** Problems by the digest of all that they depend on. */
  readonly #known = new Map<string, readonly string[]>();

  constructor(parts: SourceIntegrityParts) {
    this.#parts = parts;
  }

  /** What is not trusted of the sources as they were rendered, one for each source that has something. */
  async problems(
    { application, project }: { readonly application: Application; readonly project: AppProject | undefined },
    sources: readonly ApplicationSource[],
    renders: readonly RenderedSource[],
    signal: AbortSignal,
  ): Promise<Diagnosis[]> {
    if (!this.#parts.enabled) return [];
    const found: Diagnosis[] = [];
    for (const [index, source] of sources.entries()) {
      const render = renders[index];
      if (isPublished(source)) {
        const problem = render && (await this.#chartProblem(source, render, { application, project, signal }));
        if (problem) found.push(problem);
        continue;
      }
      const commit = render?.revision ?? '';
      if (!isGitSource(source) || !isCommitSha(commit)) continue;
      const several = hasSources(application.spec) && sources.length > 1;
      const prefix = several ? `source ${source.name || `${index + 1} of ${sources.length}`}: ` : '';
      try {
        const policy = integrityPolicy(project, source.repoURL);
        if (!policy) continue;
        const name = application.spec.project || 'default';
        const problems = await this.#verify(source, { commit, policy, project: name }, signal);
        if (problems.length > 0) found.push(untrusted(problems, { prefix, source, commit, project: name }));
      } catch (error) {
        signal.throwIfAborted();
        found.push(diagnosisOf(error));
      }
    }
    return found;
  }

  /** What is known of the signature of one commit of a source, whether its project wants it signed or not. */
  async account(
    project: AppProject | undefined,
    source: ApplicationSource,
    commit: string,
    signal: AbortSignal,
  ): Promise<SignatureAccount> {
    const { enabled, git, access } = this.#parts;
    if (!enabled || !isGitSource(source) || !isCommitSha(commit)) return { info: '' };
    const name = project?.metadata.name ?? 'default';
    const question = { commit, revision: commit, deep: false, keys: this.#parts.keys(), signal };
    let found: RevisionSignature | undefined;
    for await (const signature of git.signatures(access.repository(source, name), question)) found = signature;
    const info = found ? signatureInfo(found) : '';
    try {
      const policy = integrityPolicy(project, source.repoURL);
      if (policy) return { info, problems: await this.#verify(source, { commit, policy, project: name }, signal) };
      return { info: found?.result === 'unsigned' ? '' : info };
    } catch (error) {
      signal.throwIfAborted();
      return { info, problems: [diagnosisOf(error).message] };
    }
  }

  async #chartProblem(
    source: ApplicationSource,
    { revision, content }: RenderedSource,
    asked: {
      readonly application: Application;
      readonly project: AppProject | undefined;
      readonly signal: AbortSignal;
    },
  ): Promise<Diagnosis | undefined> {
    const { application, project, signal } = asked;
    const { manifests, access, keys } = this.#parts;
    try {
      const policies = chartPolicies(project, source.repoURL);
      if (policies.length === 0) return undefined;
      const { sources, chartPlace, proveChart } = await manifests.published();
      const name = application.spec.project || 'default';
      const place = chartPlace({ source, repository: access.repository(source, name) });
      if (!place) return undefined;
      if (content === undefined) throw new Error(`no digest is known of what ${revision} was rendered from`);
      const armored = keys().openpgp;
      const asked = [source.repoURL, source.chart, name, revision, content, policies, armored];
      const id = createHash('sha256').update(JSON.stringify(asked)).digest('hex');
      if (this.#known.has(id)) return undefined;
      for (const policy of policies)
        await proveChart(sources, place, { version: revision, content, proof: proofOf(policy, armored), signal });
      // what is missing may be published later; what is proved stays so
      this.#remember(id, []);
      return undefined;
    } catch (error) {
      signal.throwIfAborted();
      return diagnosisOf(error);
    }
  }

  async #verify(
    source: ApplicationSource,
    { commit, policy, project }: { commit: string; policy: IntegrityPolicy; project: string },
    signal: AbortSignal,
  ): Promise<readonly string[]> {
    const { git, access } = this.#parts;
    const keys = this.#parts.keys();
    const { targetRevision = '', tagPrefix } = source;
    const ids = [...keys.openpgp, ...keys.ssh.map(({ id }) => id)];
    const asked = [source.repoURL, project, commit, targetRevision, tagPrefix, policy, ids];
    // a digest: the keys themselves are long, and the same in each
    const id = createHash('sha256').update(JSON.stringify(asked)).digest('hex');
    const known = this.#known.get(id);
    if (known) return known;
    const problems: string[] = [];
    const told = new Set<string>();
    const deep = policy.mode === 'strict';
    const question = { commit, revision: targetRevision, tagPrefix, deep, keys, signal };
    for await (const signature of git.signatures(access.repository(source, project), question)) {
      const problem = signatureProblem(signature, policy.keys);
      if (!problem || told.has(signature.keyId)) continue;
      // unsigned commits are of different people, so that each is reported
      if (signature.keyId && isCommitSha(signature.revision)) told.add(signature.keyId);
      problems.push(problem);
      if (problems.length >= mostProblems) break;
    }
    this.#remember(id, problems);
    return problems;
  }

  #remember(id: string, problems: readonly string[]): void {
    this.#known.set(id, problems);
    if (this.#known.size > kept) this.#known.delete(this.#known.keys().next().value as string);
  }
}

function untrusted(
  problems: readonly string[],
  { prefix, source, commit, project }: { prefix: string; source: ApplicationSource; commit: string; project: string },
): Diagnosis {
  return diagnose(commitNotTrusted, {
    message: problems.map((problem) => `GIT/GPG: ${prefix}${problem}`).join('\n'),
    place: { remote: source.repoURL, revision: commit, object: `AppProject ${project}`, field: policyField },
    remedies: [
      'Sign the commit with a key that the project permits',
      'Register the public key with `argocd gpg add` (ConfigMap argocd-gpg-keys-cm) and name its id in the policy',
      'Nothing is synced until then',
    ],
  });
}
