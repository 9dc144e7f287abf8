import { type Diagnosis, DiagnosisError, type Evidence } from '@tiphys/diagnosis';
import { revisionsOf, sourcesOf } from '../spec/source-of.ts';
import type { Reconciliation } from './reconciliation.ts';

const commitId = /^[0-9a-f]{40}([0-9a-f]{24})?$/;

/**
 * The diagnosis of something that was right before with the commits that may have brought it: those since the revision that was
 * good that touched its file, or else the path of the source. Unchanged where there is none, or none was ever good.
 */
export async function withCommits(
  work: Reconciliation,
  diagnosis: Diagnosis,
  good: readonly string[],
): Promise<Diagnosis> {
  const { next, status, memory, context, signal } = work;
  const sources = sourcesOf(next.spec);
  const index = Number(/^spec\.sources\[(\d+)\]/.exec(diagnosis.place?.field ?? '')?.[1] ?? 0);
  const source = sources[index];
  const from = good[index] ?? '';
  const to = diagnosis.place?.revision ?? revisionsOf(status.sync)[index] ?? '';
  if (!source || from === to || !commitId.test(from) || !commitId.test(to)) return diagnosis;
  const file = diagnosis.place?.file;
  const question = [from, to, file, source.path, source.repoURL].join(' ');
  if (memory.commits?.question !== question) {
    const ask = (paths: readonly string[]) =>
      context.renderer.commitsBetween({ source, project: next.spec.project || 'default' }, { from, to, paths }, signal);
    try {
      const ofFile = file ? await ask([file]) : [];
      const found = ofFile.length > 0 ? ofFile : await ask([source.path ?? '']);
      memory.commits = { question, evidence: found.map(evidenceOf) };
    } catch (error) {
      signal.throwIfAborted();
      // a repository that cannot be read now has told its own cause already: this only adds to what is known
      if (!(error instanceof DiagnosisError)) throw error;
      return diagnosis;
    }
  }
  return { ...diagnosis, evidence: [...diagnosis.evidence, ...memory.commits.evidence] };
}

function evidenceOf({
  commit,
  author,
  date,
  subject,
}: {
  commit: string;
  author: string;
  date: string;
  subject: string;
}): Evidence {
  return { name: `commit ${commit.slice(0, 7)} of ${author}`, value: subject, at: date };
}
