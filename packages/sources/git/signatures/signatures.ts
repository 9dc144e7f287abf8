import { type DiagnosisError, failure } from '@tiphys/diagnosis';
import type { Mirror } from '../mirror/mirror.ts';
import { historyUnverified } from '../repository/diagnoses.ts';
import { type SignatureResult, type TrustedKeys, verifySigned } from './commit-signature.ts';

/** What is known of the signature of a commit or an annotated tag. */
export interface RevisionSignature {
  /** Commit, or short name of the tag. */
  readonly revision: string;
  readonly result: SignatureResult;
  /** 16 hexadecimal digits of an OpenPGP key, `SHA256:…` of an SSH key; empty for what is not signed. */
  readonly keyId: string;
  /** `Name <address>` */
  readonly author: string;
}

export interface SignatureQuestion {
  readonly mirror: Mirror;
  readonly commit: string;
  /** The annotated tag that the revision was found under. */
  readonly tag?: { readonly name: string; readonly object: string } | undefined;
  /** The whole history, back to commits that seal it. */
  readonly deep: boolean;
  readonly keys: TrustedKeys;
  readonly timeout: number;
  readonly signal?: AbortSignal | undefined;
}

/** A signed commit whose message has this trailer vouches for all that came before it. */
const sealTrailer = 'Argocd-gpg-seal:';
const maxHistory = 100_000;

/**
 * Signatures of a revision, newest first. Upstream rules: of an annotated tag the tag's own, and the commit's only with `deep`; of a
 * commit its own, and with `deep` those of all ancestors up to and including signed commits that seal the history.
 */
export async function* signaturesOf(question: SignatureQuestion): AsyncGenerator<RevisionSignature> {
  const { mirror, commit, tag, deep, keys } = question;
  const read = async (oid: string) => (await mirror.reader.contents(oid))?.content ?? Buffer.alloc(0);
  if (tag) {
    yield { revision: tag.name, ...(await verifySigned(await read(tag.object), keys)) };
    if (!deep) return;
  }
  for (const revision of deep ? await ancestors(question) : [commit])
    yield { revision, ...(await verifySigned(await read(revision), keys)) };
}

/** The commit and its ancestors, newest first, without those behind a seal that is signed with a known key. */
async function ancestors({ mirror, commit, keys, timeout, signal }: SignatureQuestion): Promise<string[]> {
  const list = async (...args: string[]) => {
    const { code, stdout } = await mirror.git(['rev-list', ...args], timeout, signal ? { signal } : {});
    if (code !== 0) throw unverified(commit, 'git could not list it');
    return stdout.toString('latin1').split('\n').filter(Boolean);
  };
  const shallow = await mirror.git(['rev-parse', '--is-shallow-repository'], timeout);
  if (shallow.stdout.toString('latin1').trim() !== 'false')
    throw unverified(commit, 'only the newest commits of the repository are fetched (depth)');
  const seals: string[] = [];
  for (const seal of await list(`--grep=${sealTrailer}`, '--regexp-ignore-case', commit)) {
    const content = (await mirror.reader.contents(seal))?.content;
    if (content && (await verifySigned(content, keys)).result === 'signed') seals.push(seal);
  }
  if (seals[0] === commit) return [commit];
  const limit = `--max-count=${maxHistory}`;
  const found =
    seals.length === 0 ? await list(limit, commit) : await list(limit, '--boundary', commit, '--not', ...seals);
  if (found.length === 0) throw unverified(commit, 'git lists nothing of it');
  if (found.length >= maxHistory) throw unverified(commit, `it has more than ${maxHistory} commits`);
  // the seals themselves are boundaries, and listed with a dash in front
  return found.map((line) => line.replace(/^-/, ''));
}

function unverified(commit: string, why: string): DiagnosisError {
  return failure(historyUnverified, {
    message: `The history of ${commit.slice(0, 12)} cannot be verified: ${why}`,
    place: { revision: commit },
    remedies: [
      'Remove depth from the Secret of the repository, or seal the history by a signed commit with an Argocd-gpg-seal trailer',
    ],
  });
}
