import { defineDiagnosis, failure } from '@tiphys/diagnosis';
import { execute, goValue, parse, sprigFunctions, TemplateError, TemplateSet } from '@tiphys/template';
import type { HydrationMetadata, ReferencedCommit } from './dry-commit.ts';

const templateInvalid = defineDiagnosis(
  'HydrationTemplateInvalid',
  'The template of the message or README of hydrated commits cannot be used',
);

/** Keys of argocd-cm. */
export const messageKey = 'sourceHydrator.commitMessageTemplate';
export const readmeKey = 'sourceHydrator.readmeMessageTemplate';

/** As upstream's: commit, subject and body of the dry commit, and its authors as co-authors. */
const defaultMessage = `{{ trunc 7 .metadata.drySha }}: {{ .metadata.subject }}
{{- with .metadata.body }}

{{ . }}
{{- end }}
{{ range .metadata.references }}{{ with .commit.author }}
Co-authored-by: {{ . }}{{ end }}{{ end }}
{{- with .metadata.author }}
Co-authored-by: {{ . }}{{ end }}
`;

const defaultReadme = `# Hydrated manifests

These files were generated; changes belong into the dry source. To make them again:

\`\`\`shell
git clone {{ .RepoURL }}
# in the folder of the clone:
git checkout {{ .DrySHA }}
{{ range .Commands }}{{ . }}
{{ end }}\`\`\`
{{ if .References }}
## References

{{ range .References }}* [{{ trunc 7 .Commit.SHA }}]({{ .Commit.RepoURL }}): {{ .Commit.Subject }} ({{ .Commit.Author }})
{{ end }}{{ end }}`;

/** The message of a hydrated commit, its white space as `git commit` leaves it. */
export function commitMessage(metadata: HydrationMetadata, template = ''): string {
  const lines = render(messageKey, template || defaultMessage, { metadata })
    .split('\n')
    .map((line) => line.trimEnd());
  return `${lines
    .filter((line, index) => line !== '' || lines[index - 1] !== '')
    .join('\n')
    .trim()}\n`;
}

/** The README beside hydrated manifests; fields have the names that Go has for them. */
export function readme(metadata: HydrationMetadata, template = ''): string {
  const { repoURL, drySha, commands, author, date, subject, body, references } = metadata;
  return render(readmeKey, template || defaultReadme, {
    RepoURL: repoURL,
    DrySHA: drySha,
    Commands: [...(commands ?? [])],
    Author: author ?? '',
    Date: date ?? '',
    Subject: subject ?? '',
    Body: body ?? '',
    References: (references ?? []).map(({ commit }) => ({ Commit: goFields(commit) })),
  });
}

function goFields(commit: ReferencedCommit): Record<string, string> {
  const { author = '', date = '', subject = '', body = '', sha = '', repoURL = '' } = commit;
  return { Author: author, Date: date, Subject: subject, Body: body, SHA: sha, RepoURL: repoURL };
}

function render(key: string, template: string, data: Readonly<Record<string, unknown>>): string {
  try {
    const set = new TemplateSet();
    set.add(parse(key, template, { functions: sprigFunctions }));
    return execute(set, key, goValue(data as never), { functions: sprigFunctions }).text;
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    throw failure(
      templateInvalid,
      {
        message: `The template ${key} of argocd-cm fails: ${error.goMessage}`,
        place: { object: 'ConfigMap argocd-cm', field: key },
        remedies: ['Correct the template, or remove the key to have the default'],
      },
      { handling: 'stalled', cause: error },
    );
  }
}
