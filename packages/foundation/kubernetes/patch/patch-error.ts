/** A patch that cannot be applied; `status` is the HTTP code that kube-apiserver answers with and `message` its text. */
export class PatchError extends Error {
  readonly status: 400 | 422 | 500;
  /** What exactly failed, where Kubernetes keeps it to itself. */
  readonly detail: string;

  constructor(status: 400 | 422 | 500, message: string, detail = message) {
    super(message);
    this.name = 'PatchError';
    this.status = status;
    this.detail = detail;
  }
}
