import { defineDiagnosis } from '@tiphys/diagnosis';

export const invalidRepositoryUrl = defineDiagnosis(
  'InvalidRepositoryUrl',
  'The repository URL cannot be used, or is not safe to hand to git',
);
export const invalidCredentials = defineDiagnosis(
  'InvalidRepositoryCredentials',
  'The credentials of a repository cannot be used as they are written',
);
export const credentialRefused = defineDiagnosis(
  'RepositoryCredentialRefused',
  'The host refused the credential, or none was given and it wants one',
  'R1',
);
export const repositoryNotFound = defineDiagnosis(
  'RepositoryNotFound',
  'The repository does not exist, or the credential may not see it',
  'R2',
);
export const hostKeyUnknown = defineDiagnosis(
  'SshHostKeyUnknown',
  'The SSH host key is not among the known hosts',
  'R4',
);
export const hostKeyChanged = defineDiagnosis(
  'SshHostKeyChanged',
  'The SSH host shows another key than the known one: it was set up anew, or somebody stands in between',
  'R4',
);
export const proxyUnreachable = defineDiagnosis(
  'ProxyUnreachable',
  'The proxy on the way to a host of sources cannot be reached; the host was not asked',
  'R8',
);
export const proxyRefused = defineDiagnosis(
  'ProxyRefused',
  'The proxy on the way to a host of sources answered in its place',
  'R8',
);
export const certificateInvalid = defineDiagnosis(
  'RepositoryCertificateInvalid',
  'The TLS certificate of the repository host is not accepted',
  'R4',
);
export const clockSkew = defineDiagnosis(
  'ClockSkew',
  'The clock of this machine differs from that of the repository host',
  'R5',
);
export const rateLimited = defineDiagnosis(
  'RepositoryRateLimited',
  'The repository host limits the rate of our requests',
  'R6',
);
export const githubAppToken = defineDiagnosis(
  'GitHubAppTokenRefused',
  'GitHub gave no installation token for the App',
  'R7',
);
export const accessTokenRefused = defineDiagnosis(
  'AccessTokenRefused',
  'Google or Microsoft gave no access token for a repository',
  'R7',
);
export const repositoryUnreachable = defineDiagnosis(
  'RepositoryUnreachable',
  'The repository host cannot be reached: name, connection or answer',
  'R8',
);
export const repositoryFailed = defineDiagnosis(
  'RepositoryFailed',
  'git failed for a reason that is not known to Tiphys',
  'R8',
);
export const redirected = defineDiagnosis(
  'RepositoryRedirected',
  'The host redirects to another URL; redirects are not followed, so that credentials stay with their host',
);
export const revisionNotFound = defineDiagnosis('RevisionNotFound', 'The revision is not in the repository', 'R9');
export const fileNotConverted = defineDiagnosis(
  'FileNotConverted',
  'A file has a filter or an encoding by .gitattributes that no checkout of Tiphys makes',
);
export const linkLeaves = defineDiagnosis(
  'LinkLeavesRepository',
  'A symbolic link leads out of the repository, or in a circle',
);
export const fileNotFound = defineDiagnosis('FileNotFound', 'A file is not in the repository at this commit');
export const fileTooBig = defineDiagnosis('FileTooBig', 'A file exceeds the limit of bytes that are read', 'M15');
export const gitMissing = defineDiagnosis('GitProgramMissing', 'The git program cannot be run');
export const gitTimeout = defineDiagnosis('GitTimeout', 'git did not finish in time', 'R8');
export const gitTooMuch = defineDiagnosis(
  'GitAnswerTooLarge',
  'The host of a repository sends more refs or objects than are taken',
);
export const mirrorCorrupt = defineDiagnosis(
  'MirrorCorrupt',
  'The local copy of a repository is damaged; it is made again',
);
export const submoduleUnreadable = defineDiagnosis(
  'SubmoduleUnreadable',
  'A submodule can not be read: its URL, its credentials or its commit',
  'R13',
);
export const largeFileMissing = defineDiagnosis(
  'LargeFileMissing',
  'A file of Git LFS can not be had from the server that keeps it',
  'R13',
);
export const pushRefused = defineDiagnosis('PushRefused', 'The host of a repository refuses a commit that was pushed');
export const branchContended = defineDiagnosis(
  'BranchContended',
  'Others pushed to a branch as often as a commit was made for it',
);
export const historyUnverified = defineDiagnosis(
  'HistoryUnverified',
  'A project wants the whole history of a repository signed, and it cannot be read',
);
